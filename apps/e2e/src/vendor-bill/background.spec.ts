/*
 * Work that goes on after its answer: whatever the client does, it is in the books once, at what the vendor bills by its own
 * rules. The client is the SDK of OpenAI, the vendor is the simulator.
 */
import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import OpenAI from 'openai';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';
import { type Feature, FEATURES, USAGE } from './features.ts';
import { makePricedModels, type PricedModels, readVendorBill } from './priced-models.ts';

const at = sharedStack();
let simulator: OwnSimulator;
let books: Books;
let priced: PricedModels;
let client: OpenAI;
/** Of another account. */
let stranger: OpenAI;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  priced = await makePricedModels(at, simulator.url);
  client = clientOf(priced.key);
  const other = await admin(at, 'POST', '/api/accounts', { name: 'another' });
  stranger = clientOf((await makeKey(at, { account_id: other.id })).key);
});
afterAll(async () => {
  await books.close();
  await simulator.close();
});

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${at.baseUrl}/v1`, maxRetries: 0 });

interface Begun {
  readonly mark: string;
  readonly id: string;
  readonly requestId: string;
}
const bodyOf = (mark: string, script: object, more: object = {}) => ({
  model: priced.models['openai-responses'],
  input: `${mark} [[sim ${JSON.stringify({ background_ms: 300, ...script })}]]`,
  background: true as const,
  ...more,
});

async function begin(script: object, more: object = {}, by = client): Promise<Begun> {
  const mark = randomUUID();
  const { data, request_id } = await by.responses.create(bodyOf(mark, script, more)).withResponse();
  expect(data).toMatchObject({ status: 'queued', background: true });
  return { mark, id: data.id, requestId: request_id ?? '' };
}

type Event = OpenAI.Responses.ResponseStreamEvent;

/** Begins one as a stream, and reads it until it ends, breaks, or has said so many events. */
async function beginStream(
  script: object,
  { more = {}, leaveAfter = Infinity, by = client } = {},
): Promise<Begun & Awaited<ReturnType<typeof readEvents>>> {
  const mark = randomUUID();
  const asked = { ...bodyOf(mark, script, more), stream: true as const };
  const { data, request_id } = await by.responses.create(asked).withResponse();
  const read = await readEvents(data, leaveAfter);
  const [first] = read.events;
  if (first?.type !== 'response.created') throw new Error(JSON.stringify(first));
  expect(first.response).toMatchObject({ status: 'queued', background: true });
  return { ...read, mark, id: first.response.id, requestId: request_id ?? '' };
}

async function readEvents(
  stream: AsyncIterable<Event>,
  leaveAfter = Infinity,
): Promise<{ readonly events: readonly Event[]; readonly broke: Error | undefined }> {
  const events: Event[] = [];
  try {
    for await (const event of stream) {
      events.push(event);
      if (events.length >= leaveAfter) break;
    }
  } catch (error) {
    return { events, broke: error as Error };
  }
  return { events, broke: undefined };
}
const resume = async (id: string, starting_after: number, by = client) =>
  readEvents(await by.responses.retrieve(id, { stream: true, starting_after }));
const sequenceOf = (events: readonly Event[]) => events.map(({ sequence_number }) => sequence_number);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The poller looks again after some seconds. */
const booked = ({ requestId }: Begun) =>
  waitFor(
    () => books.one('SELECT * FROM billing.usage WHERE request_id = $1', [requestId]),
    'the end in the books',
    30_000,
  );
const jobOf = ({ requestId }: Begun) =>
  books.one('SELECT state, status FROM billing.background_job WHERE request_id = $1', [requestId]);

/** It is in the books once, at what the vendor bills. */
async function expectBilledOnce(begun: Begun) {
  const row = await booked(begun);
  const bills = await readVendorBill(simulator.url);
  const charged = bills.flatMap(({ latest }) => latest).filter(({ asked }) => asked === begun.mark);
  expect(bills.flatMap(({ unpriced }) => unpriced)).toEqual([]);
  expect(charged.map(({ amount_pico }) => amount_pico)).toEqual([row['cost_pico']]);
  const { entries, sum } = await books.entriesOf(begun.requestId);
  expect({ isBooked: entries > 0, sum }).toEqual({ isBooked: true, sum: '0' });
  const rows = 'SELECT count(*)::text AS count FROM billing.usage WHERE request_id LIKE $1';
  expect((await books.one(rows, [`${begun.requestId}%`]))['count']).toBe('1');
  return row;
}

describe.each([false, true])('streaming: %s', (stream) => {
  test('everything that is sold beside tokens is charged as the vendor does, though no client comes back', async () => {
    const keyOf = () => makeKey(at, { account_id: priced.accountId, group: priced.group });
    const clients = [clientOf((await keyOf()).key), clientOf((await keyOf()).key)] as const;
    const start = async ({ what, more, script }: Feature, index: number) => {
      // As many as a key may have open, and no more.
      const by = clients[index % 2];
      const asked = { usage: USAGE, ...script };
      return stream
        ? { what, ...(await beginStream(asked, { more, by, leaveAfter: 2 })) }
        : { what, ...(await begin(asked, more, by)) };
    };
    const begun = await Promise.all(FEATURES['openai-responses'].map(start));
    for (const each of begun) {
      const row = await expectBilledOnce(each);
      expect({ ...row, what: each.what }).toMatchObject({
        what: each.what,
        outcome: 'completed',
        usage_source: 'upstream',
        stream,
      });
    }
    const drawn = await booked(begun.find(({ what }) => what === 'a picture of another model') as Begun);
    expect(drawn['lines']).toMatchObject([{}, { model: 'gpt-image-1-mini' }]);
  }, 60_000);

  test('what it costs by the word of its upstream is its cost', async () => {
    const script = { usage: USAGE, cost: 0.000123456789 };
    const begun = stream ? await beginStream(script) : await begin(script);
    expect((await expectBilledOnce(begun))['upstream_cost_pico']).toBe('123456789');
  });

  test('what fails costs nothing, and its client is told', async () => {
    const script = { background_fails: true };
    const begun = stream ? await beginStream(script) : await begin(script);
    if ('events' in begun)
      expect((begun.events as readonly Event[]).at(-1)).toMatchObject({ type: 'response.failed' });
    await waitFor(async () => (await jobOf(begun))?.['state'] === 'ended', 'its end', 30_000);
    expect(await jobOf(begun)).toEqual({ state: 'ended', status: 'failed' });
    expect(await client.responses.retrieve(begun.id)).toMatchObject({ id: begun.id, status: 'failed' });
    expect(await books.one('SELECT FROM billing.usage WHERE request_id = $1', [begun.requestId])).toBe(
      undefined,
    );
    expect(JSON.stringify(await readVendorBill(simulator.url))).not.toContain(begun.mark);
  });

  test('what is cancelled is charged as far as it was', async () => {
    const script = { background_ms: 20_000, words: 200 };
    const begun = stream ? await beginStream(script, { leaveAfter: 20 }) : await begin(script);
    expect(await client.responses.cancel(begun.id)).toMatchObject({ status: 'cancelled', id: begun.id });
    const row = await expectBilledOnce(begun);
    expect(row['outcome']).toBe('client_aborted');
  });
});

describe('a stream', () => {
  test('stands in the books before its first byte, is read to its end, and is charged once', async () => {
    const mark = randomUUID();
    const asked = { ...bodyOf(mark, { background_ms: 10_000, words: 10 }), stream: true as const };
    const { data, request_id } = await client.responses.create(asked).withResponse();
    const begun = { mark, requestId: request_id ?? '', id: '' };
    expect(await jobOf(begun)).toMatchObject({ state: 'running' });
    const { events, broke } = await readEvents(data);
    expect(broke).toBeUndefined();
    expect(sequenceOf(events)).toEqual(upTo(events.length));
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { background: true } });
    expect(await expectBilledOnce(begun)).toMatchObject({ outcome: 'completed', stream: true });
  });

  test('that its client leaves goes on, is resumed by its account alone, and is charged once', async () => {
    const script = { background_ms: 3_000, words: 30 };
    const begun = await beginStream(script, { leaveAfter: 6 });
    expect(begun.broke).toBeUndefined();
    for (const [id, by] of [
      [begun.id, stranger],
      ['resp_unknown', client],
    ] as const)
      await expect(resume(id, 5, by)).rejects.toMatchObject({ status: 404 });
    const rest = await resume(begun.id, 5);
    expect(rest.broke).toBeUndefined();
    const all = [...begun.events, ...rest.events];
    expect(sequenceOf(all)).toEqual(upTo(all.length));
    expect(all.at(-1)).toMatchObject({ type: 'response.completed', response: { id: begun.id } });
    // As often as anybody likes.
    expect((await resume(begun.id, 5)).events).toEqual(rest.events);
    await expectBilledOnce(begun);
  });

  test('that breaks at its upstream breaks here, without a word of an end, and is resumed', async () => {
    const begun = await beginStream({ background_ms: 1_500, words: 10, cut_after_chunks: 7 });
    expect(begun.broke).toBeDefined();
    expect(begun.events.map(({ type }) => type)).not.toContain('response.failed');
    const { length } = begun.events;
    const rest = await resume(begun.id, length - 1);
    const all = [...begun.events, ...rest.events];
    expect(sequenceOf(all)).toEqual(upTo(all.length));
    expect(all.at(-1)).toMatchObject({ type: 'response.completed' });
    await expectBilledOnce(begun);
  });

  test('that its upstream answers in one piece begins with what that says, and is charged once', async () => {
    const begun = await beginStream({ stream: false, words: 10 });
    expect(begun.broke).toBeUndefined();
    const response = { id: begun.id, status: 'queued', background: true };
    expect(begun.events).toMatchObject([
      { type: 'response.created', sequence_number: 0, response },
      { type: 'response.queued', sequence_number: 1, response },
    ]);
    expect(await client.responses.retrieve(begun.id)).toMatchObject({ id: begun.id, background: true });
    expect(await expectBilledOnce(begun)).toMatchObject({ outcome: 'completed', stream: true });
  });

  test('that its upstream sends though none was asked for is read to its end, and charged once', async () => {
    const mark = randomUUID();
    const asked = bodyOf(mark, { stream: true, usage: USAGE });
    const { data, request_id } = await client.responses.create(asked).withResponse();
    expect(data).toMatchObject({ status: 'completed' });
    const begun = { mark, id: data.id, requestId: request_id ?? '' };
    expect(await expectBilledOnce(begun)).toMatchObject({ outcome: 'completed', stream: false });
    expect(await jobOf(begun)).toBeUndefined();
  });

  test('is no more where the answer was not asked for as one', async () => {
    const { id } = await begin({});
    await expect(resume(id, 0)).rejects.toMatchObject({ status: 400 });
  });
});

test('an answer is fetched, and deleted once it is billed, by its account alone', async () => {
  const begun = await begin({ background_ms: 15_000 });
  const { id } = begun;
  expect(await client.responses.retrieve(id)).toMatchObject({ id, background: true });
  for (const refused of [
    () => stranger.responses.retrieve(id),
    () => stranger.responses.cancel(id),
    () => stranger.responses.delete(id),
    () => client.responses.retrieve('resp_unknown'),
  ])
    await expect(refused()).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.delete(id)).rejects.toMatchObject({ status: 400 });
  await waitFor(async () => (await client.responses.retrieve(id)).status === 'completed', 'its end', 40_000);
  await expectBilledOnce(begun);
  await waitFor(
    () =>
      client.responses.delete(id).then(
        () => true,
        () => false,
      ),
    'its deletion',
  );
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
});

test.each([
  ['store', { store: false }, 'background'],
  ['store of a stream', { store: false, stream: true }, 'background'],
  ['another word', { background: 'yes' }, 'background'],
])('is refused before anything is sent: %s', async (_what, more, param) => {
  const mark = randomUUID();
  const headers = { authorization: `Bearer ${priced.key}` };
  const body = { ...bodyOf(mark, {}), ...more };
  const answer = await call(`${at.baseUrl}/v1/responses`, { headers, body });
  expect([answer.status, answer.json?.['error']?.['param']]).toEqual([400, param]);
  expect((await simulator.requests()).filter((sent) => sent.body.includes(mark))).toEqual([]);
  const chat = { model: body.model, messages: [{ role: 'user', content: mark }], background: true };
  const other = await call(`${at.baseUrl}/v1/chat/completions`, { headers, body: chat });
  expect([other.status, other.json?.['error']?.['param']]).toEqual([400, 'background']);
});
