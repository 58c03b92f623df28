/*
 * What realtime sessions cost, and what ends them: on the shared stack with a simulated upstream of their own, whose bill the books
 * are held against.
 */
import { readBalance } from '../credit/customers.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';
import { hear, say } from './realtime-client.ts';
import { listShown } from '../vendor-bill/same-bill.ts';
import { REALTIME_SHOWS, type RealtimeTests, startRealtimeTests } from './realtime-tests.ts';

const at = sharedStack();
let tests: RealtimeTests;
beforeAll(async () => {
  tests = await startRealtimeTests(at);
}, 60_000);
afterEach(() => tests.closeSessions());
afterAll(() => tests.end());

test('a conversation of text and sound is charged to the last pico what its vendor bills, a line for each response', async () => {
  const { accountId, key } = await tests.newCustomer();
  const before = await tests.bill();
  const session = await tests.open({ key });
  const created = await session.next('session.created');
  expect(created.session).toMatchObject({
    model: tests.made.names.voice,
    audio: { input: { turn_detection: { create_response: true } } },
  });
  session.send({
    type: 'session.update',
    session: {
      type: 'realtime',
      model: tests.made.names.voice,
      audio: { input: { transcription: { model: tests.made.names.ears } } },
    },
  });
  expect((await session.next('session.updated')).session?.audio.input.transcription).toEqual({
    model: tests.made.names.ears,
  });
  expect((await session.ask('Hello there')).response).toMatchObject({ status: 'completed' });
  // What is said is answered without being asked for.
  session.send(hear(1_000));
  session.send(hear(300, true));
  expect((await session.next('conversation.item.input_audio_transcription.completed')).type).toContain(
    'completed',
  );
  const spoken = await session.next('response.done', 'error');
  expect(spoken.response?.usage).toMatchObject({
    input_token_details: { audio_tokens: 13, cached_tokens: 9 },
    output_token_details: { audio_tokens: 10 },
  });
  expect((await session.ask('And again')).response).toMatchObject({ status: 'completed' });
  await tests.rows(accountId, 4);
  const { cost, realtime } = await tests.bookedOf(accountId);
  expect([BigInt(cost ?? '0'), Number(realtime)]).toEqual([(await tests.bill()) - before, 4]);
  expect(await readBalance(tests.books, accountId)).toBe(100_000_000_000_000n - BigInt(cost ?? '0'));
  const kinds = await tests.books.one(
    `SELECT sum(tokens_input_audio)::text AS heard, sum(tokens_cache_read_audio)::text AS cached,
            sum(tokens_output_audio)::text AS spoken
     FROM billing.usage WHERE account_id = $1 AND model = $2`,
    [accountId, tests.made.names.voice],
  );
  expect(kinds).toEqual({ heard: '13', cached: '23', spoken: '10' });
  expect(session.events.map(({ type }) => type)).not.toContain('rate_limits.updated');
});

test('every kind that a session has, a transcription by its length among them, is charged as its vendor does', async () => {
  const { accountId, key } = await tests.newCustomer();
  const before = await tests.bill();
  const session = await tests.open({ key });
  const transcription = { model: tests.made.names['whisper-1'] };
  session.send({
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { transcription } } },
  });
  await session.next('session.updated');
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,UE5H' };
  session.send({
    type: 'conversation.item.create',
    item: {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'What is this?' }, picture],
    },
  });
  for (const words of ['Say it', 'And again'])
    expect((await session.ask(words)).response).toMatchObject({ status: 'completed' });
  session.send(hear(1_234));
  session.send(hear(300, true));
  expect((await session.next('response.done', 'error')).response).toMatchObject({ status: 'completed' });
  expect((await session.ask('Once more')).response).toMatchObject({ status: 'completed' });
  await tests.rows(accountId, 5);
  const { cost } = await tests.bookedOf(accountId);
  expect(BigInt(cost ?? '0')).toBe((await tests.bill()) - before);
  const rows = await tests.books.all('SELECT * FROM billing.usage WHERE account_id = $1', [accountId]);
  expect(rows.flatMap(listShown)).toEqual(expect.arrayContaining([...REALTIME_SHOWS]));
  expect(rows.map((row) => row['units_audio_milliseconds']).toSorted()).toEqual(['0', '0', '0', '0', '1534']);
});

test.each(['whisper-1', 'ears'] as const)(
  'a transcription by %s whose usage nobody says is charged by its sound',
  async (name) => {
    const { accountId, key } = await tests.newCustomer();
    const session = await tests.open({ key, script: { no_usage: true } });
    const transcription = { model: tests.made.names[name] };
    session.send({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { transcription } } },
    });
    await session.next('session.updated');
    session.send(hear(900));
    session.send({ type: 'input_audio_buffer.clear' });
    session.send(hear(1_234));
    session.send(hear(300, true));
    await session.next('response.done', 'error');
    await tests.rows(accountId, 2);
    const row = await tests.books.one(
      `SELECT usage_source, outcome, tokens_input_audio::int AS heard, units_audio_milliseconds::int AS ms
     FROM billing.usage WHERE account_id = $1 AND model = $2`,
      [accountId, transcription.model],
    );
    const charged = name === 'ears' ? { heard: 16, ms: 0 } : { heard: 0, ms: 1_534 };
    expect(row).toEqual({ usage_source: 'estimated', outcome: 'completed', ...charged });
  },
);

describe('credit', () => {
  test('nothing begins that cannot be held, asked for or not, and the session stays open', async () => {
    const { accountId, key } = await tests.newCustomer('0.001');
    const session = await tests.open({ key });
    expect((await session.ask('Hello')).error).toMatchObject({ code: 'insufficient_quota' });
    session.send(hear(1_000));
    session.send(hear(300, true));
    expect((await session.next('error')).error).toMatchObject({ code: 'insufficient_quota' });
    const seen = await tests.simulator.requests(tests.made.names.voice);
    expect(await readBalance(tests.books, accountId)).toBe(1_000_000_000n);
    expect(session.socket.readyState).toBe(session.socket.OPEN);
    expect(seen.length).toBeGreaterThan(0);
    expect(session.events.map(({ type }) => type)).not.toContain('response.created');
  });

  test('without credit nobody opens a session', async () => {
    const { id: accountId } = await admin(at, 'POST', '/api/accounts', { name: 'Nothing', mode: 'prepaid' });
    const poor = await makeKey(at, { account_id: accountId, group: tests.made.group });
    await expect(tests.open({ key: poor.key })).rejects.toThrow('429');
  });

  test('an upstream that reports more than can be moves no more than was held, and is reviewed', async () => {
    const { accountId, key } = await tests.newCustomer('1');
    const session = await tests.open({ key, script: { usage: { input: 9_000_000, output: 9_000_000 } } });
    expect((await session.ask('Hello', { max_output_tokens: 10 })).response?.status).toBe('completed');
    await tests.rows(accountId, 1);
    const { cost } = await tests.bookedOf(accountId);
    expect(BigInt(cost ?? '0')).toBeGreaterThan(0n);
    expect(await readBalance(tests.books, accountId)).toBeGreaterThan(0n);
    const { items } = await admin(at, 'GET', '/api/finance/usage-reviews');
    expect(items.filter(({ account_id }) => account_id === accountId)).toHaveLength(1);
  });
});

describe('what ends a session', () => {
  test('a key that is disabled: the response under way ends, then it closes with 1008', async () => {
    const { key, keyId, accountId } = await tests.newCustomer();
    const session = await tests.open({ key, script: { words: 20, chunk_delay_ms: 100 } });
    session.send(say('Hello'));
    session.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await session.next('response.created');
    await admin(at, 'PATCH', `/api/keys/${keyId}`, { status: 'disabled' });
    expect(await session.closed).toBe(1008);
    expect(session.events.map(({ type }) => type)).toContain('response.done');
    await tests.rows(accountId, 1);
  });

  test('a client that leaves: its response is cancelled, and what it had is charged once', async () => {
    const { key, accountId } = await tests.newCustomer();
    const session = await tests.open({ key, script: { words: 100, chunk_delay_ms: 150 } });
    session.send(say('Hello'));
    session.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await session.next('response.output_text.delta');
    session.socket.terminate();
    await tests.rows(accountId, 1);
    const row = await tests.books.one(
      `SELECT outcome, usage_source, tokens_output::int AS output FROM billing.usage WHERE account_id = $1`,
      [accountId],
    );
    expect(row).toMatchObject({ outcome: 'client_aborted', usage_source: 'upstream' });
    expect(Number(row['output'])).toBeLessThan(100);
  });

  test('an upstream that breaks off: the client is told, and what came is charged once', async () => {
    const { key, accountId } = await tests.newCustomer();
    const session = await tests.open({ key, script: { words: 50, cut_after_chunks: 10 } });
    session.send(say('Hello'));
    session.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    expect(await session.closed).toBe(1011);
    expect(session.events.at(-1)?.type).toBe('error');
    await tests.rows(accountId, 1);
    expect(
      await tests.books.one(`SELECT outcome, usage_source FROM billing.usage WHERE account_id = $1`, [
        accountId,
      ]),
    ).toEqual({ outcome: 'upstream_cut', usage_source: 'estimated' });
  });
});
