import { randomBytes } from 'node:crypto';
import { type RunningRedis, startRedis, waitFor } from '@tollgate/harness';
import { connectRedis, createLogger, type Keyring } from '@tollgate/platform';
import { createStoredIds, partOfResponseId, responseId } from '@tollgate/protocols';
import { createBodyMemory } from '../body/body-memory.ts';
import { createPayload, type Payload } from '../body/payload.ts';
import { keepResponse } from './keep-response.ts';
import { createKeptResponses, createKeptResponsesQuota, type KeptResponses } from './kept-responses.ts';
import { recall } from './recall.ts';

const sealKey = randomBytes(32);
const BOUNDS = {
  KEPT_RESPONSES_TTL_S: 3_600,
  KEPT_RESPONSES_ACCOUNT_BYTES: 20_000,
  KEPT_RESPONSES_BYTES: 30_000,
};
const LIMIT_BYTES = 20_000;

let server: RunningRedis;
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, createLogger('test', 'silent'), { timeoutMs: 20_000 });
  await waitFor(() => redis.status === 'ready', 'Redis');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
afterEach(() => redis.flushall());

function gateway(keys: Keyring = [sealKey]): KeptResponses {
  const settings = { keys, ttlMs: 3_600_000, maxBytes: 2_000 };
  return createKeptResponses(redis, createKeptResponsesQuota(redis, BOUNDS), settings);
}

function payloadOf(body: object): Payload {
  const memory = createBodyMemory({ bodyMemoryBytes: 1_000_000, keyBodyMemoryBytes: 1_000_000 });
  const bytes = Buffer.from(JSON.stringify(body));
  return createPayload(bytes, { ...body }, { lease: memory.lease('key'), values: 10 });
}

/** An answer of one message, as it was told to its account. Answers the response's id and the message's. */
async function tell(kept: KeptResponses, accountId: string, text: string, body: object = { input: 'Hello' }) {
  const requestId = `req_${randomBytes(8).toString('hex')}`;
  const keeping = keepResponse(kept, { requestId, accountId, payload: payloadOf(body) });
  if (!keeping) throw new Error('it is not to be kept');
  const id = `msg_${partOfResponseId(keeping.id)}0`;
  keeping.answered([{ type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] }]);
  await keeping.store();
  return { response: keeping.id, message: id };
}

const ask = (kept: KeptResponses, accountId: string, body: object, strict = false) =>
  recall(
    {
      keptResponses: kept,
      storedIds: createStoredIds(sealKey),
      limits: { bodyLimitBytes: LIMIT_BYTES },
    },
    { payload: payloadOf(body), accountId, strict },
  );

const reference = (id: string) => ({ type: 'item_reference', id });

test('what an account was answered is there for it by its id, byte for byte, and for nobody else', async () => {
  const kept = gateway();
  const { message } = await tell(kept, 'me', 'Grüße');
  const body = { model: 'm', input: [reference(message), { role: 'user', content: 'And?' }] };
  const mine = await ask(kept, 'me', body);
  if (!mine.ok) throw new Error(mine.error.message);
  expect(mine.payload.json['input']).toMatchObject([{ content: [{ text: 'Grüße' }] }, { content: 'And?' }]);
  expect(JSON.parse(mine.payload.bytes.toString())).toEqual(mine.payload.json);
  expect(await ask(kept, 'you', body)).toMatchObject({
    ok: false,
    error: { kind: 'not_found', param: 'input[0].id', message: expect.stringContaining('store: false') },
  });
});

test('a conversation goes on by the id of its answer, over several turns', async () => {
  const kept = gateway();
  const first = await tell(kept, 'me', 'One', { input: 'Say one' });
  const second = await tell(kept, 'me', 'Two', {
    input: [{ role: 'user', content: 'Say two' }],
    previous_response_id: first.response,
  });
  const third = await ask(kept, 'me', { previous_response_id: second.response, input: 'And then?' });
  if (!third.ok) throw new Error(third.error.message);
  expect(third.payload.json).not.toHaveProperty('previous_response_id');
  expect(JSON.parse(third.payload.bytes.toString())).toEqual(third.payload.json);
  const said = JSON.stringify(third.payload.json['input']);
  expect([...said.matchAll(/Say one|One|Say two|Two|And then\?/g)].map(([text]) => text)).toEqual([
    ...['Say one', 'One', 'Say two', 'Two', 'And then?'],
  ]);
});

test('it is sealed, and opens under a key that was turned, not under another', async () => {
  const { message } = await tell(gateway(), 'me', 'a secret word');
  for (const place of await redis.keys('tollgate:kept-response:*')) {
    expect(place).not.toContain('me:');
    expect((await redis.getBuffer(place))?.includes('secret')).toBe(false);
  }
  const body = { input: [reference(message)] };
  expect(await ask(gateway([randomBytes(32), sealKey]), 'me', body)).toMatchObject({ ok: true });
  expect(await ask(gateway([randomBytes(32)]), 'me', body)).toMatchObject({ ok: false });
});

test('what was changed in Redis is not there', async () => {
  const { message } = await tell(gateway(), 'me', 'x');
  for (const place of await redis.keys('tollgate:kept-response:*')) {
    const sealed = await redis.getBuffer(place);
    if (sealed) await redis.set(place, sealed.fill((sealed[30] ?? 0) ^ 1, 30, 31));
  }
  expect(await ask(gateway(), 'me', { input: [reference(message)] })).toMatchObject({ ok: false });
});

test('an answer that says store: false is not kept, nor is one that did not come to its end', async () => {
  const kept = gateway();
  const payload = payloadOf({ input: 'x', store: false });
  expect(keepResponse(kept, { requestId: 'req_1', accountId: 'me', payload })).toBeUndefined();
  await keepResponse(kept, {
    requestId: 'req_2',
    accountId: 'me',
    payload: payloadOf({ input: 'x' }),
  })?.store();
  expect(await redis.keys('tollgate:kept-response:*')).toEqual([]);
});

test('large answers are not kept, large inputs cost the answer nothing, and an account has its bound', async () => {
  const kept = gateway();
  const large = await tell(kept, 'me', 'x'.repeat(3_000));
  expect(await ask(kept, 'me', { input: [reference(large.message)] })).toMatchObject({ ok: false });
  const after = await tell(kept, 'me', 'short', { input: 'x'.repeat(3_000) });
  expect(await ask(kept, 'me', { input: [reference(after.message)] })).toMatchObject({ ok: true });
  expect(await ask(kept, 'me', { previous_response_id: after.response, input: 'x' })).toMatchObject({
    ok: false,
    error: { param: 'previous_response_id' },
  });
  for (let count = 0; count < 12; count += 1) await tell(kept, 'me', 'y'.repeat(1_500));
  const full = await tell(kept, 'me', 'y'.repeat(1_500));
  expect(await ask(kept, 'me', { input: [reference(full.message)] })).toMatchObject({ ok: false });
  const other = await tell(kept, 'you', 'room for others');
  expect(await ask(kept, 'you', { input: [reference(other.message)] })).toMatchObject({ ok: true });
});

test('few words cannot ask for much: the request with all that it names is no larger than one may be', async () => {
  const kept = gateway();
  const { message } = await tell(kept, 'me', 'x'.repeat(1_000));
  const input = Array.from({ length: 50 }, () => reference(message));
  expect(await ask(kept, 'me', { input })).toMatchObject({ ok: false, error: { kind: 'payload_too_large' } });
  const many = Array.from({ length: 600 }, (_, index) =>
    reference(`msg_${partOfResponseId(responseId(`${index}`))}0`),
  );
  expect(await ask(kept, 'me', { input: many })).toMatchObject({
    ok: false,
    error: { kind: 'payload_too_large' },
  });
});

test('reasoning that is not kept is left out and named; a strict key gets the error', async () => {
  const body = { input: [reference('rs_1'), { role: 'user', content: 'x' }] };
  const recalled = await ask(gateway(), 'me', body);
  expect(recalled).toMatchObject({ ok: true, dropped: ['input[0]'] });
  expect(await ask(gateway(), 'me', body, true)).toMatchObject({ ok: false, error: { param: 'input[0]' } });
});

test('without Redis nothing is guessed: the caller is asked to come again', async () => {
  const away: KeptResponses = {
    ...gateway(),
    findAnswer: () => Promise.reject(new Error('Redis is away')),
  };
  const { message } = await tell(gateway(), 'me', 'x');
  expect(await ask(away, 'me', { input: [reference(message)] })).toMatchObject({
    ok: false,
    error: { kind: 'unavailable' },
  });
});
