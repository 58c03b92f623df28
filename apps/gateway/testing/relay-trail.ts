// A relay whose every dependency writes into a trail when something is taken of it, and when it is given back.
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { createLogger, createMetrics } from '@tollgate/platform';
import { createStateWrapper, createStoredIds } from '@tollgate/protocols';
import Fastify, { type FastifyInstance } from 'fastify';
import { trackJobs } from './jobs.ts';
import { keyRecord } from './keys.ts';
import { trackBodies } from './track-bodies.ts';
import { buildTable, simulate, type Simulated, upstream } from './forwarding.ts';
import { createBodyMemory } from '../src/body/body-memory.ts';
import { createHops } from '../src/forward/hops.ts';
import type { Execution } from '../src/idempotency/idempotency.ts';
import type { RoutingTable } from '../src/route/routing-table.ts';
import { createRequestMetrics } from '../src/telemetry/request-metrics.ts';
import { createDepartures } from '../src/relay/departures.ts';
import type { RelayDependencies } from '../src/relay/relay-request.ts';
import { relayRoutes } from '../src/relay/relay-routes.ts';
import { createUnseenReasoning } from '../src/relay/unseen-reasoning.ts';

const SEAL_KEY = Buffer.alloc(32, 1);
const RECORD = keyRecord({ limits: { concurrent_requests: 5 } });
let simulated: Simulated;
let table: RoutingTable | undefined;
let closeTable: () => Promise<void>;
let door: FastifyInstance;
let url: string;
let trail: string[];
let change: Partial<RelayDependencies>;
const note = (what: string): void => void trail.push(what);

/** Starts a relay with a simulated upstream for each test of a file, and closes it after it. */
export function withRelayTrail(): void {
  beforeAll(async () => {
    simulated = await simulate();
  });
  afterAll(() => simulated.close());

  beforeEach(async () => {
    ({ table, close: closeTable } = buildTable({
      upstreams: [
        upstream('one', simulated.url, ['a'], {
          protocols: ['openai-chat', 'openai-responses', 'anthropic-messages'],
          limits: { concurrent_requests: 9 },
        }),
        upstream('chat', simulated.url, ['a'], { limits: { concurrent_requests: 9 } }),
        upstream('bedrock', simulated.url, ['a'], {
          protocols: ['anthropic-messages'],
          wrapping: { 'anthropic-messages': 'bedrock' },
        }),
      ],
      pool: { members: [{ upstream: 'one' }], attempts: 1 },
      spare: { members: [{ upstream: 'chat' }], attempts: 1 },
      cloud: { members: [{ upstream: 'bedrock' }], attempts: 1 },
      model: { features: { background: 'free', web_search: 'free' } },
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
    const usual = createDependencies();
    // A test changes them after the routes were made.
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
}

/** The upstream of the test that runs. */
export const trailUpstream = (): Simulated => simulated;

function createDependencies(): RelayDependencies {
  return {
    keys: {
      find: async () => ({ record: RECORD, expiresAt: Infinity, mayComeFrom: () => true }),
      holds: () => true,
      canFind: async () => true,
      forget: () => {},
    },
    wrongKeys: { blockedMs: () => 0, count: async () => {} },
    limiter: trackLimiter(),
    loadCredit: async () => {},
    refusals: { note: () => {}, find: () => undefined },
    bodyMemory: trackBodies(note),
    uploads: {
      directory: tmpdir(),
      disk: createBodyMemory({ bodyMemoryBytes: 1_000_000, keyBodyMemoryBytes: 1_000_000 }),
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
    backgroundJobs: trackJobs(note),
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
    departures: trackDepartures(),
    unseenReasoning: createUnseenReasoning(),
    states: createStateWrapper(SEAL_KEY),
    storedIds: createStoredIds(SEAL_KEY),
    telemetry: trackTelemetry(),
    limits: {
      bodyLimitBytes: 100_000,
      bodyValues: 1_000,
      uploadLimitBytes: 1_000_000,
      uploadLimits: {},
      uploadStallMs: 1_000,
      uploadTimeoutMs: 60_000,
      bodyBytesPerS: 1,
      answerLimitBytes: 100_000,
      eventLimitBytes: 100_000,
      keepAliveMs: 60_000,
    },
  };
}

function trackDepartures(): RelayDependencies['departures'] {
  const departures = createDepartures({ readOnMs: 200, perKey: 9, perProcess: 9 });
  return {
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
  };
}

function trackTelemetry(): RelayDependencies['telemetry'] {
  const metrics = createRequestMetrics(createMetrics('gateway'));
  return {
    metrics: {
      ...metrics,
      ended(of) {
        metrics.ended(of);
        note('over');
      },
    },
    tracer: undefined,
    logger: createLogger('gateway', 'silent'),
    requests: { ended() {} },
  };
}

/** Limits and credit that leave room for all. */
export const trackLimiter = (): RelayDependencies['limiter'] => ({
  degraded: false,
  admitLeased: () => undefined,
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
    [Symbol.dispose]: () => void release(),
  };
}

/** What a test sends; a Chat request of one turn, where it says nothing else. */
export interface Sent {
  readonly path?: string;
  readonly model?: string;
  readonly script?: object;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** When a client goes away. */
export type Leaves = 'in the body' | 'before the answer' | 'after a byte';

/**
 * Sends a request, and goes away where a test says when. Resolves with the trail when the relay has done with it.
 *
 * @param changes what the test has in place of what all of them have.
 */
export async function send(
  of: Sent,
  changes: Partial<RelayDependencies> = {},
  leaves?: Leaves,
): Promise<string> {
  change = changes;
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
