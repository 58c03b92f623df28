// One request after the other goes through the whole relay, to a simulated upstream. Everything that it takes on its way
// writes into a trail when it is taken and when it is given back: the trail of each exit is what the test expects.
import { relayError, responseId } from '@tollgate/protocols';
import { NO_JOBS } from '../../testing/jobs.ts';
import { type Leaves, send, type Sent, trackLimiter, withRelayTrail } from '../../testing/relay-trail.ts';
import { newRequestId } from '../front-door/request-id.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createDepartures } from './departures.ts';
import type { RelayDependencies } from './relay-request.ts';

withRelayTrail();

/** A limit that leaves no room. */
const LIMITED = {
  admitted: false,
  buckets: [],
  dimension: 'key',
  unit: 'requests',
  limit: 1,
  retryAfterMs: 1_000,
} as const;

const MESSAGES = { path: '/v1/messages', body: { max_tokens: 10 } };
const COUNT = { path: '/v1/messages/count_tokens' };
const STREAM = { body: { stream: true } };
const fails = (): never => {
  throw new Error('nobody foresaw this');
};
const begins = (begun: Awaited<ReturnType<Idempotency['begin']>>): Partial<RelayDependencies> => ({
  idempotency: { begin: async () => begun, idle: async () => {} },
});
const IN_USE = relayError('idempotency_in_use', 'It is under way.');
const ANSWER = { status: 200, headers: {}, body: Buffer.from('{}') };

test.each<[exit: string, of: Sent, change: Partial<RelayDependencies>, trail: string]>([
  ['no key', { headers: { authorization: '' } }, {}, 'answered'],
  ['too many hops', { headers: { 'x-tollgate-hops': 'a, b' } }, {}, 'answered'],
  ['usage that cannot be stored', {}, { storesUsage: () => false }, 'answered'],
  ['a body that cannot be read', { body: { messages: 1 } }, {}, 'body, body released, answered'],
  ['no prices', {}, { table: () => undefined }, 'body, answered, body released'],
  ['a bad Idempotency-Key', { headers: { 'idempotency-key': 'ü' } }, {}, 'body, answered, body released'],
  [
    'an Idempotency-Key in use',
    {},
    begins({ kind: 'refused', error: IN_USE }),
    'body, answered, body released',
  ],
  ['an answer given again', {}, begins({ kind: 'replay', answer: ANSWER }), 'body, answered, body released'],
  ['a duplicate whose caller left', {}, begins({ kind: 'gone' }), 'body, body released'],
  [
    'an earlier answer that is not kept',
    {
      path: '/v1/responses',
      body: { messages: undefined, input: 'Hello', previous_response_id: responseId(newRequestId()) },
    },
    {},
    'body, execution, answered, execution released, body released',
  ],
  [
    'a tool that no cloud runs that has the model',
    {
      path: '/v1/messages',
      model: 'cloud',
      body: { max_tokens: 10, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    },
    {},
    'body, execution, answered, execution released, body released',
  ],
  [
    'a limit',
    {},
    { limiter: { ...trackLimiter(), admitOnCredit: async () => LIMITED } },
    'body, execution, answered, execution released, body released',
  ],
  [
    'a model that is not there',
    { model: 'unknown' },
    {},
    'body, execution, limits, answered, limits settled, execution released, body released',
  ],
  [
    'no upstream that has room',
    { model: 'spare' },
    { limiter: { ...trackLimiter(), admit: async () => LIMITED } },
    'body, execution, hold, departure, answered, departure released, hold released, execution released, body released',
  ],
  [
    'an upstream that fails',
    { model: 'spare', script: { status: 500 } },
    {},
    'body, execution, hold, departure, upstream limits, upstream limits settled, answered, departure released, hold released, execution released, body released',
  ],
  [
    'an upstream that goes away',
    { model: 'spare', script: { cut_before_headers: true } },
    {},
    'body, execution, hold, departure, upstream limits, upstream limits settled, published lost reset, answered, departure released, hold released, execution released, body released',
  ],
  [
    "an upstream's own refusal",
    { script: { status: 400 } },
    {},
    'body, execution, hold, departure, upstream limits, answered, upstream limits settled, departure released, hold released, execution released, body released',
  ],
])('refused or not billed: %s', async (_exit, of, changes, expected) => {
  expect(await send(of, changes)).toBe(expected);
});

test.each<[exit: string, of: Sent, trail: string]>([
  [
    'by an estimate',
    { ...MESSAGES, ...COUNT, model: 'spare', body: {} },
    'body, limits, answered, sent, limits settled, body released',
  ],
  [
    'by an upstream',
    { ...MESSAGES, ...COUNT, body: {} },
    'body, limits, departure, upstream limits, answered, sent, upstream limits settled, departure released, limits settled, body released',
  ],
])('counted %s', async (_exit, of, expected) => {
  expect(await send(of)).toBe(expected);
});

const TAKEN = 'body, execution, hold, departure, upstream limits';
const END = 'departure released, execution released, body released';

test.each<[exit: string, of: Sent, trail: string]>([
  ['whole', {}, 'published completed, hold charged, upstream limits settled, stored, answer kept, answered'],
  [
    'whole and converted',
    { ...MESSAGES, model: 'spare' },
    'published completed, hold charged, upstream limits settled, stored, answer kept, answered',
  ],
  ['as a stream', STREAM, 'published completed, hold charged, upstream limits settled, stored, answered'],
  [
    'as a stream that breaks off',
    { ...STREAM, script: { cut_after_chunks: 2, chunk_delay_ms: 20 } },
    'published upstream_cut, hold charged, upstream limits settled, stored, answered',
  ],
])('delivered %s', async (_exit, of, expected) => {
  expect(await send(of)).toBe(`${TAKEN}, ${expected}, ${END}`);
});

test.each<[exit: string, of: Sent, change: Partial<RelayDependencies>, trail: string]>([
  [
    'before its upstream is asked',
    {},
    { hops: { refusal: () => undefined, next: fails } },
    'body, execution, hold, departure, departure released, hold released, execution released, body released, answered',
  ],
  [
    'as its usage is written down',
    {},
    { publisher: { publish: async () => fails() } },
    `${TAKEN}, hold charged, upstream limits settled, ${END}, answered`,
  ],
  [
    'as the usage of its stream is written down',
    STREAM,
    { publisher: { publish: async () => fails() } },
    `${TAKEN}, hold charged, upstream limits settled, ${END}`,
  ],
])('broken %s', async (_exit, of, changes, expected) => {
  expect(await send(of, changes)).toBe(expected);
});

const BACKGROUND = { path: '/v1/responses', body: { messages: undefined, input: 'Hello', background: true } };
const HELD = 'body, execution, hold, job';
const jobs = (of: Partial<RelayDependencies['backgroundJobs']>): Partial<RelayDependencies> => ({
  backgroundJobs: { ...NO_JOBS, ...of },
});
const RELEASED = 'hold released, execution released, body released';

test.each<[exit: string, of: Sent, change: Partial<RelayDependencies>, trail: string]>([
  [
    'what goes on keeps its hold',
    BACKGROUND,
    {},
    `${HELD}, departure, upstream limits, job started, limits settled, answer kept, answered, upstream limits settled, ${END}`,
  ],
  [
    'too many',
    BACKGROUND,
    jobs({ begin: async () => 'key full' }),
    'body, execution, hold, answered, hold released, execution released, body released',
  ],
  [
    'billing that is away before it is sent',
    BACKGROUND,
    jobs({ begin: async () => fails() }),
    'body, execution, hold, answered, hold released, execution released, body released',
  ],
  [
    'a job that was given up meanwhile',
    BACKGROUND,
    jobs({ start: async () => false }),
    `body, execution, hold, departure, upstream limits, answered, upstream limits settled, departure released, ${RELEASED}`,
  ],
  [
    'an upstream that refuses it',
    { ...BACKGROUND, body: { ...BACKGROUND.body, input: '[[sim {"status":400}]] Hello' } },
    {},
    `${HELD}, departure, upstream limits, answered, upstream limits settled, departure released, job dropped, ${RELEASED}`,
  ],
  [
    'what cannot be fetched later',
    { ...BACKGROUND, body: { ...BACKGROUND.body, store: false } },
    {},
    'body, execution, hold, answered, hold released, execution released, body released',
  ],
])('in the background: %s', async (_exit, of, changes, expected) => {
  expect(await send(of, changes)).toBe(expected);
});

test('in the background: left while as many are read on as may be, it goes on all the same', async () => {
  const departures = createDepartures({ readOnMs: 0, perKey: 0, perProcess: 0 });
  const input = '[[sim {"first_delay_ms":1500}]] Hello';
  expect(
    await send({ ...BACKGROUND, body: { ...BACKGROUND.body, input } }, { departures }, 'before the answer'),
  ).toBe(
    `${HELD}, upstream limits, job started, limits settled, answer kept, upstream limits settled, execution released, body released`,
  );
});

const LEFT = 'limits settled, execution released';
const LEFT_END = 'departure released, execution released again, body released';

test.each<[exit: string, of: Sent, leaves: Leaves, trail: string]>([
  [
    'before the first byte of a stream',
    { ...STREAM, script: { hang: true } },
    'before the answer',
    `${TAKEN}, ${LEFT}, upstream limits settled, published client_aborted, hold charged, stored, ${LEFT_END}`,
  ],
  [
    'before an answer that is kept for a duplicate',
    { script: { first_delay_ms: 6_000 } },
    'before the answer',
    `${TAKEN}, published client_aborted, hold charged, upstream limits settled, stored, answer kept, ${END}`,
  ],
  [
    'in a stream that is read to its end',
    { ...STREAM, script: { words: 5, chunk_delay_ms: 300 } },
    'after a byte',
    `${TAKEN}, ${LEFT}, published client_aborted, hold charged, upstream limits settled, stored, ${LEFT_END}`,
  ],
  [
    'in a stream that is given up',
    { ...STREAM, script: { words: 100, chunk_delay_ms: 20 } },
    'after a byte',
    `${TAKEN}, ${LEFT}, published client_aborted, hold charged, upstream limits settled, stored, ${LEFT_END}`,
  ],
  ['in its own body', { headers: { 'content-length': '9999' } }, 'in the body', 'body, body released'],
])('left by its client %s', async (_exit, of, leaves, expected) => {
  expect(await send(of, {}, leaves)).toBe(expected);
});
