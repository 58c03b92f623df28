/*
 * What vendors keep of one customer never reaches another. Two accounts share an upstream with two credentials, and a
 * pool with a second upstream; the simulator keeps answers, items and containers by credential, as vendors do.
 */
import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import { type Answer, call } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import {
  keyFor,
  ownName,
  type OwnSimulator,
  putModel,
  putPool,
  putUpstream,
  startOwnSimulator,
} from '../pools/own-pool.ts';

const at = sharedStack();
let simulator: OwnSimulator;
let mine: string;
let theirs: string;
const model = ownName('kept');
const secrets = [`${model}-a`, `${model}-b`, `${model}-c`] as const;

beforeAll(async () => {
  simulator = await startOwnSimulator();
  const only = { protocols: ['openai-responses'] };
  await putUpstream(at, `${model}-1`, simulator.url, secrets.slice(0, 2), only);
  await putUpstream(at, `${model}-2`, simulator.url, secrets.slice(2), only);
  await putModel(at, model, { features: { code_execution: 'free' } });
  await putPool(at, model, [model], { members: [{ upstream: `${model}-1` }, { upstream: `${model}-2` }] });
  await admin(at, 'PUT', `/api/catalogue/groups/${model}`, { ratio: '1', models: [model] });
  mine = await keyFor(at, model, [model]);
  const { id } = await admin(at, 'POST', '/api/accounts', { name: model });
  theirs = (await makeKey(at, { account_id: id, group: model })).key;
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const respond = (key: string, body: object): Promise<Answer> =>
  call(`${at.baseUrl}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model, ...body },
  });

interface Item {
  readonly id: string;
  readonly type: string;
  readonly call_id?: string;
  readonly container_id?: string;
  readonly content?: readonly { readonly text?: string }[];
}
interface Said {
  readonly id: string;
  readonly output: readonly Item[];
}
interface SaidEvent {
  readonly item_id?: string;
  readonly item?: Item;
  readonly response?: Said;
}

const eventsOf = ({ text }: Answer): SaidEvent[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as SaidEvent);

/** Says something, and gives the whole response, streamed or not. */
async function say(key: string, body: object, stream: boolean): Promise<Said> {
  const answer = await respond(key, { ...body, stream });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  if (!stream) return JSON.parse(answer.text) as Said;
  const events = eventsOf(answer);
  const last = events.at(-1)?.response;
  if (!last) throw new Error(`the stream has no end: ${answer.text}`);
  // One name for each thing, in every event.
  const ids = [last.id, ...last.output.map(({ id }) => id)];
  for (const { item_id, item, response } of events)
    for (const id of [item_id, item?.id, response?.id]) if (id !== undefined) expect(ids).toContain(id);
  return last;
}

const textOf = ({ output }: Said): string =>
  output.flatMap(({ content }) => content?.map(({ text }) => text) ?? []).join('');

const credentialsThatSaw = async (mark: string): Promise<string[]> =>
  (await simulator.requests())
    .filter(({ body }) => body.includes(mark))
    .map(({ headers }) => headers['authorization']?.replace('Bearer ', '') ?? '');

describe.each([false, true])('stream: %s', (stream) => {
  test('a conversation goes on where it is kept, whichever credential that is', async () => {
    const used = new Set<string>();
    for (let time = 0; time < 12; time += 1) {
      const [secret, next] = [randomUUID(), randomUUID()];
      const first = await say(mine, { input: `Mind ${secret}` }, stream);
      expect(first.id).toMatch(/^resp_tg1/);
      const second = await say(mine, { input: `recall ${next}`, previous_response_id: first.id }, stream);
      expect(textOf(second)).toContain(secret);
      expect(second.id).not.toBe(first.id);
      const [began] = await credentialsThatSaw(secret);
      expect(await credentialsThatSaw(next)).toEqual([began]);
      used.add(began ?? '');
    }
    // Weighted at random over three: nobody was asked alone.
    expect(used.size).toBeGreaterThan(1);
  });

  test('references to items, as the AI SDK sends them, are found through a tool loop', async () => {
    const tools = [
      {
        type: 'function',
        name: 'weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ];
    for (let time = 0; time < 6; time += 1) {
      const user = { role: 'user', content: [{ type: 'input_text', text: `use tool ${randomUUID()}` }] };
      const options = { tools, reasoning: { effort: 'low' } };
      const first = await say(mine, { input: [user], ...options }, stream);
      const items = first.output;
      expect(items.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
      for (const { id } of items) expect(id).toMatch(/^(?:rs|fc)_tg1/);
      const references = items.map(({ id }) => ({ type: 'item_reference', id }));
      const result = { type: 'function_call_output', call_id: items[1]?.call_id, output: 'sunny' };
      const second = await say(mine, { input: [user, ...references, result], ...options }, stream);
      expect(textOf(second)).toBe('The tool says: sunny');
    }
  });

  test('nobody else goes on in it, reads of it or forges a way to it', async () => {
    const secret = randomUUID();
    const first = await say(mine, { input: `Mind ${secret}` }, stream);
    const id = first.id;
    const item = String(first.output[0]?.id);
    const raw = id.replace(/tg1.{28}/, '');
    const rawItem = item.replace(/tg1.{28}/, '');
    await simulator.reset();
    for (const [key, body, param] of [
      [theirs, { previous_response_id: id }, 'previous_response_id'],
      [theirs, { input: [{ type: 'item_reference', id: item }] }, 'input[0].id'],
      [theirs, { input: [{ id: item }] }, 'input[0].id'],
      [theirs, { previous_response_id: raw }, 'previous_response_id'],
      [mine, { previous_response_id: raw }, 'previous_response_id'],
      [mine, { input: [{ type: 'item_reference', id: rawItem }] }, 'input[0].id'],
      [mine, { previous_response_id: id.replace('tg1', 'tg1A').slice(0, -1) }, 'previous_response_id'],
      [mine, { conversation: 'conv_1' }, 'conversation'],
      [mine, { prompt: { id: 'pmpt_1' } }, 'prompt.id'],
    ] as const) {
      const answer = await respond(key, { input: 'recall', ...body, stream });
      expect([answer.status, answer.json?.['error']]).toEqual([
        404,
        expect.objectContaining({ type: 'invalid_request_error', param }),
      ]);
      expect(answer.text).not.toContain(secret);
    }
    expect(await simulator.requests()).toEqual([]);
  });

  test('containers and files of the vendor’s tools go by the same rule', async () => {
    const tool = { type: 'code_interpreter', container: { type: 'auto' } };
    const first = await say(mine, { input: `use code ${randomUUID()}`, tools: [tool], store: false }, stream);
    const container = String(first.output[0]?.container_id);
    expect(container).toMatch(/^cntr_tg1/);
    expect(JSON.stringify(first)).not.toMatch(/"c(?:ntr|file)_(?!tg1)/);
    const again = { input: 'use code', tools: [{ type: 'code_interpreter', container }] };
    await say(mine, again, stream);
    expect((await respond(theirs, again)).status).toBe(404);
    const own = {
      ...again,
      tools: [{ type: 'code_interpreter', container: container.replace(/tg1.{28}/, '') }],
    };
    expect((await respond(mine, own)).status).toBe(404);
  });

  test('an answer that is not kept passes as it came', async () => {
    const first = await say(mine, { input: `Mind ${randomUUID()}`, store: false }, stream);
    expect(first.id).toMatch(/^resp_(?!tg1)/);
  });
});

test('what an item says in full needs no place: it goes on at another credential without its id', async () => {
  const first = await say(mine, { input: `Mind ${randomUUID()}` }, false);
  const mark = randomUUID();
  for (let time = 0; time < 8; time += 1)
    await say(mine, { input: [...first.output, { role: 'user', content: `${mark} ${time}` }] }, false);
  const seen = (await simulator.requests()).filter(({ body }) => body.includes(mark));
  expect(new Set(seen.map(({ headers }) => headers['authorization'])).size).toBeGreaterThan(1);
  for (const { body } of seen) expect(body).not.toContain('tg1');
});

test('a request that needs what one credential keeps is tried at no other', async () => {
  const secret = randomUUID();
  const first = await say(mine, { input: `Mind ${secret}` }, false);
  const [keeper] = await credentialsThatSaw(secret);
  await simulator.script({ status: 503 }, { credential: keeper ?? '' });
  const next = randomUUID();
  const answer = await respond(mine, { input: `recall ${next}`, previous_response_id: first.id });
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect([...new Set(await credentialsThatSaw(next))].filter((each) => each !== keeper)).toEqual([]);
});

test('the vendor’s own words name the id that the caller knows', async () => {
  const first = await say(mine, { input: `Mind ${randomUUID()}` }, false);
  await fetch(`${simulator.url}/__sim/kept`, { method: 'DELETE' });
  const answer = await respond(mine, { input: 'recall', previous_response_id: first.id });
  expect(answer.json?.['error']).toMatchObject({ code: 'previous_response_not_found' });
  expect(answer.text).toContain(first.id);
});

test('a credential that has gone is a 404 that says so', async () => {
  const name = ownName('gone');
  await putUpstream(at, name, simulator.url, [name], { protocols: ['openai-responses'] });
  await putUpstream(at, `${name}-other`, simulator.url, [`${name}-other`], {
    protocols: ['openai-responses'],
  });
  await putModel(at, name);
  await putPool(at, name, [name], { members: [{ upstream: name }] });
  await admin(at, 'PUT', `/api/catalogue/groups/${name}`, { ratio: '1', models: [name] });
  const key = await keyFor(at, name, [name]);
  const first = await say(key, { model: name, input: 'Hello' }, false);
  await admin(at, 'PUT', `/api/catalogue/pools/${name}`, {
    groups: ['*'],
    models: [name],
    members: [{ upstream: `${name}-other` }],
  });
  const answer = await waitFor(async () => {
    const second = await respond(key, { model: name, input: 'Hello', previous_response_id: first.id });
    return second.status === 404 ? second : undefined;
  }, 'the credential to be gone');
  expect(answer.json?.['error']?.['message']).toMatch(/kept at an upstream account that does not serve/);
});
