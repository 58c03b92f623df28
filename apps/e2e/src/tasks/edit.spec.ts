/*
 * Clients of OpenAI have pictures changed, as forms and as JSON. What the upstream was sent is held against what the client sent,
 * and the charge against the simulator's own bill.
 */
import { randomUUID } from 'node:crypto';
import OpenAI7, { toFile } from 'openai';
import OpenAI6 from 'openai-6';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from './task-models.ts';

const at = sharedStack();
const MODELS = {
  'gpt-image-2': {
    model: {
      operations: ['draw', 'edit'],
      prices: { input: 5_000_000, input_image: 8_000_000, output: 10_000_000, output_image: 30_000_000 },
    },
    upstream: { protocols: ['openai-chat'] },
    atVendor: { per_million: { input: '5', image_input: '8', output: '10', image_output: '30' } },
  },
};

let simulator: OwnSimulator;
let books: Books;
let made: Awaited<ReturnType<typeof makeTaskModels<keyof typeof MODELS>>>;
let model: string;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  made = await makeTaskModels(at, simulator.url, MODELS);
  model = made.names['gpt-image-2'];
});
afterEach(() => simulator.reset());
afterAll(async () => {
  await books.close();
  await simulator.close();
});

async function readBill(): Promise<string> {
  const answer = await fetch(`${simulator.url}/__sim/bill`);
  const bills = (await answer.json()) as { credential: string; amount_pico: string }[];
  return bills.find((each) => each.credential === model)?.amount_pico ?? '0';
}
const forgetBill = () => fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });

const edit = (body: object) =>
  call(`${at.baseUrl}/v1/images/edits`, {
    headers: { authorization: `Bearer ${made.key}` },
    body: { model, prompt: 'brighter', ...body },
  });
const picture = (text: string) => ({
  image_url: `data:image/png;base64,${Buffer.from(text).toString('base64')}`,
});

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7],
])('%s', (_version, OpenAI) => {
  const connect = () => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: made.key, maxRetries: 0 });
  const png = (text: string, name: string) => toFile(Buffer.from(text), name, { type: 'image/png' });

  test.each([1, 3])('changes %i pictures of a form, and is charged as the vendor does', async (count) => {
    await forgetBill();
    const mark = randomUUID();
    const files = await Promise.all(
      Array.from({ length: count }, (_, index) => png(`${mark} ${index}`, `${index}.png`)),
    );
    const ask = connect().images.edit({
      model,
      prompt: 'a brighter lighthouse',
      image: count === 1 ? (files[0] as (typeof files)[number]) : files,
      mask: await png('mask', 'mask.png'),
      n: 2,
      size: '1024x1024',
      quality: 'low',
    });
    const { data, request_id } = await ask.withResponse();
    expect(data.data).toHaveLength(2);
    expect(await books.usage(request_id ?? '')).toMatchObject({
      operation: 'edit',
      usage_source: 'upstream',
      tokens_input_image: String(194 * count),
      tokens_output_image: '544',
      cost_pico: await readBill(),
    });
    const shown = (index: number) => Buffer.from(`${mark} ${index}`).toString('base64');
    const sent = (await simulator.requests()).find(({ body }) => body.includes(shown(0)));
    for (const [index] of files.entries()) expect(sent?.body).toContain(shown(index));
    expect(sent?.body).toContain('"name":"mask.png"');
  });

  test('is streamed a picture of a form', async () => {
    const ask = connect().images.edit({
      model,
      prompt: 'brighter',
      image: await png('a', 'a.png'),
      stream: true,
      partial_images: 1,
    });
    const { data, request_id } = await ask.withResponse();
    const seen: string[] = [];
    for await (const { type } of data) seen.push(type);
    expect(seen).toEqual(['image_edit.partial_image', 'image_edit.completed']);
    expect(await books.usage(request_id ?? '')).toMatchObject({ stream: true, tokens_output_image: '1156' });
  });

  test('is told of what is wrong by the class of its error', async () => {
    const ask = connect().images.edit({ model, prompt: '', image: await png('a', 'a.png') });
    await expect(ask).rejects.toThrow(OpenAI.BadRequestError);
    await expect(ask).rejects.toMatchObject({ status: 400, param: 'prompt' });
  });

  test('finds no route for variations', async () => {
    const ask = connect().images.createVariation({ image: await png('a', 'a.png'), model });
    await expect(ask).rejects.toThrow(OpenAI.NotFoundError);
    await expect(ask).rejects.toThrow('Invalid URL (POST /v1/images/variations)');
    expect(await simulator.requests()).toEqual([]);
  });
});

test('pictures of JSON pass untouched, and are charged', async () => {
  await forgetBill();
  const answer = await edit({ images: [picture('a'), picture('b')], mask: picture('c') });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('b64_json')]);
  expect(await books.usage(requestId(answer))).toMatchObject({
    tokens_input_image: '388',
    cost_pico: await readBill(),
  });
});

test.each([
  ['no picture', {}, 'image'],
  ['too many', { images: Array.from({ length: 17 }, () => picture('a')) }, 'images'],
  ['an id of a file', { images: [{ file_id: 'file-1' }] }, 'images[0].file_id'],
  ['a picture without an address', { images: [{}] }, 'images[0].image_url'],
  ['a stream of several', { images: [picture('a')], n: 2, stream: true }, 'n'],
] as const)('%s is refused', async (_what, body, param) => {
  const answer = await edit(body);
  expect([answer.status, answer.json?.['error']]).toMatchObject([400, { param }]);
});
