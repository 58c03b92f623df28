/*
 * Clients of OpenAI and of Google have pictures drawn on upstreams of three formats. The bytes are held against those that the
 * simulator draws, and the charge against its own bill.
 */
import { randomUUID } from 'node:crypto';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { buildDoorUpstream } from '../pools.ts';
import { sharedStack } from '../shared-stack.ts';
import {
  askForBase64,
  byImage,
  drawAsSimulator,
  DRAWING_MODELS,
  type DrawingModel,
} from './drawing-models.ts';
import { makeTaskModels } from './task-models.ts';

const at = sharedStack();
const ALL = Object.keys(DRAWING_MODELS) as DrawingModel[];

let simulator: OwnSimulator;
let books: Books;
let made: Awaited<ReturnType<typeof makeTaskModels<DrawingModel>>>;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  made = await makeTaskModels(at, simulator.url, DRAWING_MODELS);
});
afterEach(() => simulator.reset());
afterAll(async () => {
  await books.close();
  await simulator.close();
});

const draw = (name: DrawingModel, body: object = {}, headers: Record<string, string> = {}) =>
  call(`${at.baseUrl}/v1/images/generations`, {
    headers: { authorization: `Bearer ${made.key}`, ...headers },
    body: { model: made.names[name], prompt: `a lighthouse ${randomUUID()}`, ...body },
  });

async function readBill(name: DrawingModel): Promise<string> {
  const answer = await fetch(`${simulator.url}/__sim/bill`);
  const bills = (await answer.json()) as { credential: string; amount_pico: string }[];
  return bills.find((each) => each.credential === made.names[name])?.amount_pico ?? '0';
}
const forgetBill = () => fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });

describe.each(ALL)('a model of kind %s', (name) => {
  test('draws what is asked for, and is charged once, as its vendor does', async () => {
    await forgetBill();
    const prompt = `a lighthouse ${randomUUID()}`;
    const answer = await draw(name, { prompt, n: 2, ...askForBase64(name) });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"data"')]);
    const data = (answer.json?.['data'] ?? []) as unknown as { b64_json: string }[];
    // Those of Gemini come one by one, and are the same.
    const second = name === 'gemini' ? 0 : 1;
    expect(data.map(({ b64_json }) => b64_json)).toEqual([
      drawAsSimulator(prompt, 0),
      drawAsSimulator(prompt, second),
    ]);
    const row = await books.usage(requestId(answer));
    expect(row).toMatchObject({
      operation: 'draw',
      usage_source: name === 'painter' || name === 'imagen' ? row.usage_source : 'upstream',
      cost_pico: await readBill(name),
      outcome: 'completed',
    });
    expect(Number(row.cost_pico)).toBeGreaterThan(0);
    expect(await books.entriesOf(requestId(answer))).toMatchObject({ sum: '0' });
    if (name === 'gpt-image-2')
      expect(row).toMatchObject({ tokens_output_image: '2112', tokens_output: '0' });
    if (name === 'painter' || name === 'imagen') expect(row).toMatchObject({ units_images: '2' });
  });

  test('streams it, with its usage in the event that ends it', async () => {
    const prompt = `a lighthouse ${randomUUID()}`;
    const answer = await draw(name, { prompt, stream: true, ...askForBase64(name) });
    const [, json = '{}'] = /event: image_generation\.completed\ndata: (.*)\n/.exec(answer.text) ?? [];
    expect(JSON.parse(json)).toMatchObject({
      type: 'image_generation.completed',
      b64_json: drawAsSimulator(prompt, 0),
      usage: { input_tokens: expect.any(Number) },
    });
    expect(await books.usage(requestId(answer))).toMatchObject({ stream: true, outcome: 'completed' });
  });

  test('is charged for what came alone, where its vendor holds a part back', async () => {
    if (name === 'gemini' || name === 'gpt-image-2') return;
    await forgetBill();
    await simulator.script({ held_back: 1 });
    const answer = await draw(name, { n: 3, ...askForBase64(name) });
    expect(await books.usage(requestId(answer))).toMatchObject({
      units_images: '2',
      cost_pico: await readBill(name),
    });
  });
});

test('of a picture with a size and a quality as much is held as that takes', async () => {
  const row = await books.usage(
    requestId(await draw('gpt-image-2', { size: '1024x1536', quality: 'high', n: 3 })),
  );
  expect(row).toMatchObject({ tokens_output_image: '18720' });
});

test('more than a request can draw is not charged', async () => {
  await simulator.script({ usage: { input: 5, output: 900_000 } });
  const answer = await draw('gpt-image-2', { size: '1024x1024', quality: 'low' });
  expect(await books.usage(requestId(answer))).toMatchObject({ tokens_output_image: '1272' });
});

test.each(['imagen', 'gemini'] as const)(
  'what %s holds back whole is a refusal, and costs nothing',
  async (name) => {
    await simulator.script({ held_back: 1 });
    const answer = await draw(name);
    expect([answer.status, answer.json?.['error']]).toMatchObject([400, { type: 'invalid_request_error' }]);
    expect(
      await books.one('SELECT count(*)::int AS n FROM billing.usage WHERE request_id = $1', [
        requestId(answer),
      ]),
    ).toEqual({ n: 0 });
  },
);

test.each([
  ['imagen', { size: '1536x1024' }, 'size'],
  ['imagen', { size: '4096x4096' }, 'size'],
  ['imagen', { background: 'transparent' }, 'background'],
  ['imagen', { response_format: 'url' }, 'response_format'],
  ['gemini', { output_format: 'gif' }, 'output_format'],
  ['gemini', { size: '1000x600' }, 'size'],
  ['gpt-image-2', { output_format: 'svg' }, 'output_format'],
  ['gpt-image-2', { n: 2, stream: true }, 'n'],
  ['gpt-image-2', { n: 11 }, 'n'],
  ['gpt-image-2', { prompt: 'something forbidden' }, null],
] as const)('%s is refused %j', async (name, body, param) => {
  const answer = await draw(name, body);
  expect([answer.status, answer.json?.['error']]).toMatchObject([400, { param }]);
});

test('what only hints is left out and named, or refused where the key is strict', async () => {
  const answer = await draw('imagen', { quality: 'high', size: '1024x1024' });
  expect([answer.status, answer.headers.get('x-tollgate-dropped')]).toEqual([200, 'quality']);
  const [sent] = (await simulator.requests()).filter(({ url }) => url.endsWith(':predict'));
  expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({
    parameters: { sampleCount: 1, aspectRatio: '1:1' },
  });
});

describe('answers of megabytes', () => {
  const large = { image_bytes: 8 * 1024 * 1024 };

  test('pass as they come, and are metered', async () => {
    await forgetBill();
    await simulator.script(large);
    const prompt = `a lighthouse ${randomUUID()}`;
    const answer = await draw('gpt-image-2', { prompt, n: 4 });
    const data = (answer.json?.['data'] ?? []) as unknown as { b64_json: string }[];
    expect(data.map(({ b64_json }) => b64_json.length)).toEqual(Array.from({ length: 4 }, () => 11_184_812));
    expect(data[3]?.b64_json === drawAsSimulator(prompt, 3, large.image_bytes)).toBe(true);
    expect(await books.usage(requestId(answer))).toMatchObject({
      usage_source: 'upstream',
      tokens_output_image: '4224',
      cost_pico: await readBill('gpt-image-2'),
    });
  });

  test('that are cut break the connection, and cost nothing', async () => {
    await simulator.script({ ...large, cut_after_bytes: 4_000_000 });
    const id = { value: '' };
    const asked = fetch(`${at.baseUrl}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: made.names['gpt-image-2'], prompt: randomUUID() }),
    }).then((answer) => {
      id.value = answer.headers.get('x-request-id') ?? '';
      return answer.text();
    });
    await expect(asked).rejects.toThrow(/terminated/);
    expect(await books.usage(id.value)).toMatchObject({ outcome: 'upstream_cut', cost_pico: '0' });
  });

  test('of another format are converted', async () => {
    await simulator.script(large);
    const prompt = `a lighthouse ${randomUUID()}`;
    const answer = await draw('imagen', { prompt, n: 2 });
    const data = (answer.json?.['data'] ?? []) as unknown as { b64_json: string }[];
    expect(data[1]?.b64_json === drawAsSimulator(prompt, 1, large.image_bytes)).toBe(true);
  });
});

test('a stream that is cut before its picture is ready costs nothing', async () => {
  await simulator.script({ cut_after_chunks: 2, image_bytes: 300_000 });
  const answer = await draw('gpt-image-2', { stream: true, partial_images: 3 });
  expect(answer.text).toContain('image_generation.partial_image');
  expect(await books.usage(requestId(answer))).toMatchObject({ outcome: 'upstream_cut', cost_pico: '0' });
});

test('four are drawn and billed where Google’s client does not say how many', async () => {
  const answer = await call(`${at.baseUrl}/v1beta/models/${made.names.imagen}:predict`, {
    headers: { 'x-goog-api-key': made.key },
    body: { instances: [{ prompt: 'a lighthouse' }] },
  });
  expect(answer.json?.['predictions']).toHaveLength(4);
  expect(await books.usage(requestId(answer))).toMatchObject({ units_images: '4' });
});

test('pictures that the account cannot pay for are refused before anything is sent', async () => {
  const poor = await makeTaskModels(at, simulator.url, {
    dear: { ...DRAWING_MODELS.painter, model: { ...byImage, unit_prices: { images: 400_000_000_000_000 } } },
  });
  const ask = (n: number) =>
    call(`${at.baseUrl}/v1/images/generations`, {
      headers: { authorization: `Bearer ${poor.key}` },
      body: { model: poor.names.dear, prompt: 'a', n },
    });
  const refused = await ask(3);
  expect([refused.status, refused.json?.['error']]).toMatchObject([429, { code: 'insufficient_quota' }]);
  expect(await simulator.requests(poor.names.dear)).toEqual([]);
  expect((await ask(2)).status).toBe(200);
});

// The prices of its vendor are in place of all others.
test('a model of Gemini on Vertex draws at its own path, and is charged as the vendor does', async () => {
  const door = (await buildDoorUpstream({ ...at, simulatorUrl: simulator.url }, 'vertex-gemini')) as {
    readonly paths: { readonly gemini: object };
  };
  const draws = { gemini: { ...door.paths.gemini, draw: '/models/{model}:generateContent' } };
  const { gemini } = DRAWING_MODELS;
  const { key, names } = await makeTaskModels(at, simulator.url, {
    vertex: { ...gemini, upstream: { ...door, paths: draws } },
  });
  await forgetBill();
  const prompt = `a lighthouse ${randomUUID()}`;
  const answer = await call(`${at.baseUrl}/v1/images/generations`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: names.vertex, prompt },
  });
  expect([answer.status, answer.json?.['data']]).toMatchObject([
    200,
    [{ b64_json: drawAsSimulator(prompt, 0) }],
  ]);
  const asked = await simulator.requests();
  expect(asked.find(({ body }) => body.includes(prompt))?.url).toBe(
    `/google/v1/projects/sim/locations/eu/publishers/google/models/${names.vertex}:generateContent`,
  );
  const bills = (await (await fetch(`${simulator.url}/__sim/bill`)).json()) as { amount_pico: string }[];
  expect(bills).toMatchObject([{ amount_pico: (await books.usage(requestId(answer))).cost_pico }]);
});
