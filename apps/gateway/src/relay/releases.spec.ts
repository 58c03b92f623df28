// One request after the other goes through the whole relay, to a simulated upstream. Everything that it takes on its way
// writes into a trail when it is taken and when it is given back: the trail of each exit is what the test expects.
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyRecord } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { createLogger, createMetrics } from '@tollgate/platform';
import { createStateWrapper, createStoredIds, relayError, responseId } from '@tollgate/protocols';
import Fastify, { type FastifyInstance } from 'fastify';
import { buildTable, simulate, type Simulated, upstream } from '../../testing/forwarding.ts';
import { createHops } from '../forward/hops.ts';
import type { Execution, Idempotency } from '../idempotency/idempotency.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import { createRequestMetrics } from '../telemetry/request-metrics.ts';
import { createBodyMemory } from '../body/body-memory.ts';
import { createDepartures } from './departures.ts';
import type { RelayDependencies } from './relay-request.ts';
import { relayRoutes } from './relay-routes.ts';
import { newRequestId } from './request-id.ts';
import { createUnseenReasoning } from './unseen-reasoning.ts';

const SEAL_KEY = Buffer.alloc(32, 1);
const RECORD: KeyRecord = {
  key_id: '018f0000-0000-7000-8000-000000000001',
  key_hash: 'a'.repeat(64),
  account_id: '018f0000-0000-7000-8000-000000000002',
  name: 'key',
  group: 'g',
  status: 'active',
  account_status: 'active',
  expires_at: null,
  credit_limited: true,
  budgets: [],
  time_zone: 'UTC',
  limits: { concurrent_requests: 5 },
  account_limits: {},
  models: null,
  allowed_addresses: null,
  strict: false,
  revision: 1,
};
const LIMITED = {
  admitted: false,
  buckets: [],
  dimension: 'key',
  unit: 'requests',
  limit: 1,
  retryAfterMs: 1_000,
} as const;

let simulated: Simulated;
let table: RoutingTable | undefined;
let closeTable: () => Promise<void>;
let door: FastifyInstance;
let url: string;
let trail: string[];
/** What one test has in place of what all of them have. */
let change: Partial<RelayDependencies>;
const note = (what: string): void => void trail.push(what);

beforeAll(async () => {
  simulated = await simulate();
});
afterAll(() => simulated.close());

beforeEach(async () => {
  ({ table, close: closeTable } = buildTable({
    upstreams: [
      upstream('one', simulated.url, ['a'], {
        protocols: ['openai-chat', 'anthropic-messages'],
        limits: { concurrent_requests: 9 },
      }),
      upstream('chat', simulated.url, ['a'], { limits: { concurrent_requests: 9 } }),
    ],
    pool: { members: [{ upstream: 'one' }], attempts: 1 },
    spare: { members: [{ upstream: 'chat' }], attempts: 1 },
  }));
  trail = [];
  change = {};
  door = Fastify();
  door.addHook('onRequest', (request, reply, done) => {
    if (request.url.endsWith('count_tokens')) reply.raw.once('close', () => note('sent'));
    const end = reply.raw.end.bind(reply.raw) as (...of: unknown[]) => typeof reply.raw;
    reply.raw.end = (...of: unknown[]) => {
      note('answered');
      return end(...of);
    };
    done();
  });
  const usual = dependencies();
  // Changed by a test after the routes were made.
  relayRoutes(
    door,
    new Proxy(usual, { get: (all, name: keyof RelayDependencies) => change[name] ?? all[name] }),
  );
  url = await door.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  await door.close();
  await closeTable();
});

function dependencies(): RelayDependencies {
  const memory = createBodyMemory({ bodyMemoryBytes: 1_000_000, keyBodyMemoryBytes: 1_000_000 });
  const departures = createDepartures({ readOnMs: 200, perKey: 9, perProcess: 9 });
  const metrics = createRequestMetrics(createMetrics('gateway'));
  return {
    keys: {
      find: async () => ({ record: RECORD, expiresAt: Infinity, mayComeFrom: () => true }),
      holds: () => true,
      canFind: async () => true,
      forget: () => {},
    },
    wrongKeys: { blockedMs: () => 0, count: async () => {} },
    limiter: limiter(),
    loadCredit: async () => {},
    refusals: { note: () => {}, find: () => undefined },
    bodyMemory: {
      heldBytes: 0,
      lease(keyId) {
        const lease = memory.lease(keyId);
        note('body');
        return {
          take: lease.take,
          give: lease.give,
          get isLarge() {
            return lease.isLarge;
          },
          release() {
            note('body released');
            lease.release();
          },
        };
      },
    },
    table: () => table,
    hops: createHops(SEAL_KEY, 1),
    passHeaders: new Set(),
    publisher: {
      async publish(event) {
        note(event.lost ? `published lost ${event.lost}` : `published ${event.outcome}`);
        await sleep(5);
        if (!event.lost) note('stored');
      },
    },
    storesUsage: () => true,
    statePlaces: { remember: async () => {}, find: async () => new Map() },
    keptResponses: {
      maxBytes: 1_000,
      keep: async () => {},
      findAnswer: async () => null,
      findQuestion: async () => null,
    },
    idempotency: {
      async begin({ stream }) {
        note('execution');
        return execution(!stream);
      },
      idle: async () => {},
    },
    departures: {
      watch(of) {
        const departure = departures.watch(of);
        note('departure');
        return {
          ...departure,
          [Symbol.dispose]() {
            note('departure released');
            departure[Symbol.dispose]();
          },
        };
      },
    },
    unseenReasoning: createUnseenReasoning(),
    states: createStateWrapper(SEAL_KEY),
    storedIds: createStoredIds(SEAL_KEY),
    telemetry: {
      metrics: {
        ...metrics,
        ended(of) {
          metrics.ended(of);
          note('over');
        },
      },
      tracer: undefined,
      logger: createLogger('gateway', 'silent'),
    },
    limits: {
      bodyLimitBytes: 100_000,
      bodyValues: 1_000,
      bodyBytesPerS: 1,
      answerLimitBytes: 100_000,
      eventLimitBytes: 100_000,
      keepAliveMs: 60_000,
    },
  };
}

const limiter = (): RelayDependencies['limiter'] => ({
  degraded: false,
  async admit(charges) {
    note(charges.some(({ dimension }) => dimension === 'upstream') ? 'upstream limits' : 'limits');
    return { admitted: true, buckets: [] };
  },
  async settle(corrections) {
    note(
      corrections.some(({ key }) => key.includes('{upstream:'))
        ? 'upstream limits settled'
        : 'limits settled',
    );
  },
  async admitOnCredit() {
    note('hold');
    return { admitted: true, buckets: [] };
  },
  async settleCredit(_corrections, { amount }) {
    note(amount === null ? 'hold released' : 'hold charged');
  },
  close: async () => {},
});

function execution(keepsAnswer: boolean): Execution {
  let isReleased = false;
  async function release(): Promise<void> {
    note(isReleased ? 'execution released again' : 'execution released');
    isReleased = true;
  }
  return {
    kind: 'execution',
    keepsAnswer,
    headers: {},
    async keep() {
      note('answer kept');
      return {};
    },
    release,
    [Symbol.asyncDispose]: release,
  };
}

interface Sent {
  readonly path?: string;
  readonly model?: string;
  readonly script?: object;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

type Leaves = 'in the body' | 'before the answer' | 'after a byte';

/** Sends a request, and aborts it where a test says when. Resolves when the relay has done with it. */
async function send(of: Sent, leaves?: Leaves): Promise<string> {
  const { path = '/v1/chat/completions', model = 'm', script = {}, body = {}, headers = {} } = of;
  const content = `[[sim ${JSON.stringify({ words: 3, ...script })}]] Hello`;
  const before = leaves ? (await simulated.requests()).length : 0;
  const sent = httpRequest(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer sk-${'a'.repeat(48)}`,
      'content-type': 'application/json',
      'idempotency-key': 'one',
      ...headers,
    },
  });
  sent.on('error', () => {});
  sent.on('response', (answer) => {
    answer.on('error', () => {});
    if (leaves === 'after a byte') answer.once('data', () => sent.destroy());
    else answer.resume();
  });
  const text = JSON.stringify({ model, messages: [{ role: 'user', content }], ...body });
  if (leaves === 'in the body') {
    sent.write(text);
    await waitFor(() => trail.includes('body'), 'the beginning of the body');
    sent.destroy();
  } else sent.end(text);
  if (leaves === 'before the answer') {
    await waitFor(async () => (await simulated.requests()).length > before, 'the request at the upstream');
    sent.destroy();
  }
  await waitFor(() => trail.at(-1) === 'over', 'the end of the request');
  sent.destroy();
  return trail.slice(0, -1).join(', ');
}

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
    'a limit',
    {},
    { limiter: { ...limiter(), admitOnCredit: async () => LIMITED } },
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
    { limiter: { ...limiter(), admit: async () => LIMITED } },
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
  change = changes;
  expect(await send(of)).toBe(expected);
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
  change = changes;
  expect(await send(of)).toBe(expected);
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
    { script: { first_delay_ms: 300 } },
    'before the answer',
    `${TAKEN}, published client_aborted, hold charged, upstream limits settled, stored, answer kept, ${END}`,
  ],
  [
    'in a stream that is read to its end',
    { ...STREAM, script: { words: 5, chunk_delay_ms: 20 } },
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
  expect(await send(of, leaves)).toBe(expected);
});
