import { groupSchema, modelSchema, poolSchema, upstreamSchema } from '@tollgate/catalogue';
import { seal } from '@tollgate/platform';
import { createStateWrapper, createStoredIds } from '@tollgate/protocols';
import { startSimulator } from '@tollgate/simulator';
import { appSecret } from '@tollgate/simulator/clouds';
import { type ClientProtocol, TOKEN_KINDS } from '@tollgate/vocabulary';
import type { z } from 'zod';
import { priceSnapshot } from './price-snapshot.ts';
import { forward, type Forwarded, type ForwardOptions } from '../src/forward/forward.ts';
import type { OutgoingRequest } from '../src/forward/outgoing-request.ts';
import { createHealthRegistry, type HealthRegistry } from '../src/health/registry.ts';
import { createBodyMemory } from '../src/body/body-memory.ts';
import { createPayload, type Payload } from '../src/body/payload.ts';
import { route, type Stage } from '../src/route/route.ts';
import { buildRoutingTable, createTableDependencies, type RoutingTable } from '../src/route/routing-table.ts';
import { createUpstreamClients } from '../src/upstreams/upstream-clients.ts';

const SEAL_KEY = Buffer.alloc(32, 1);
const prices = Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, 1]));

/** A simulator whose behaviour and requests a test states and counts by credential. */
export interface Simulated {
  readonly url: string;
  script(script: object, scope?: Record<string, string>): Promise<void>;
  /** How many requests came with a credential; all without one. */
  count(credential?: string): Promise<number>;
  requests(): Promise<{ url: string; body: string; headers: Record<string, string> }[]>;
  close(): Promise<void>;
}

export async function simulate(): Promise<Simulated> {
  const simulator = await startSimulator();
  const requests = async () =>
    (await (await fetch(`${simulator.url}/__sim/requests`)).json()) as Awaited<
      ReturnType<Simulated['requests']>
    >;
  return {
    url: simulator.url,
    async script(script, scope = {}) {
      const query = new URLSearchParams(scope).toString();
      const body = JSON.stringify(script);
      const answer = await fetch(`${simulator.url}/__sim/script?${query}`, { method: 'PUT', body });
      if (!answer.ok) throw new Error(await answer.text());
    },
    count: async (credential) =>
      (await requests()).filter(
        ({ headers }) => credential === undefined || headers['authorization'] === `Bearer ${credential}`,
      ).length,
    requests,
    close: () => simulator.close(),
  };
}

/** An upstream that speaks Chat, with a credential for each of the secrets, which are named as they are. */
export const upstream = (
  name: string,
  url: string,
  secrets: readonly string[],
  more: Partial<z.input<typeof upstreamSchema>> = {},
): z.input<typeof upstreamSchema> => ({
  name,
  base_url: url,
  protocols: ['openai-chat'],
  credentials: secrets.map((secret) => ({ name: secret, sealed: seal(secret, SEAL_KEY) })),
  allow_private_addresses: true,
  ...more,
});

/** An upstream at the simulated Azure, which takes tokens that end. */
export const azureUpstream = (
  url: string,
  more: Partial<z.input<typeof upstreamSchema>> = {},
): z.input<typeof upstreamSchema> => ({
  ...upstream('azure', `${url}/azure/openai`, []),
  auth: { kind: 'azure', tenant_id: 't', client_id: 'app', authority: url },
  credentials: [{ name: 'first', sealed: seal(appSecret('app'), SEAL_KEY) }],
  ...more,
});

export interface Forwarding {
  readonly health: HealthRegistry;
  readonly stages: readonly Stage[];
  /** Relays a Chat request for the model `m`. */
  send(of?: Partial<OutgoingRequest> & { deadlineMs?: number; keyId?: string }): Promise<Forwarded>;
  close(): Promise<void>;
}

interface TestCatalogue {
  upstreams: readonly z.input<typeof upstreamSchema>[];
  pool: Partial<z.input<typeof poolSchema>>;
  spare?: Partial<z.input<typeof poolSchema>>;
  /** Of a model of this name, where it is stated. */
  cloud?: Partial<z.input<typeof poolSchema>>;
  /** What all models say of themselves. */
  model?: Partial<z.input<typeof modelSchema>>;
}

/** A group that may use the models `m`, `spare` and `cloud`, each with a pool of its own name. */
export function buildTable(of: TestCatalogue): {
  readonly table: RoutingTable;
  readonly health: HealthRegistry;
  close(): Promise<void>;
} {
  const snapshot = priceSnapshot({
    models: ['m', 'spare', ...(of.cloud ? ['cloud'] : [])].map((name) =>
      modelSchema.parse({ name, vendor: 'v', prices, ...of.model }),
    ),
    groups: [groupSchema.parse({ name: 'g', ratio: '1', models: ['*'], fallbacks: { m: ['spare'] } })],
    upstreams: of.upstreams.map((each) => upstreamSchema.parse(each)),
    pools: [
      poolSchema.parse({ name: 'm', groups: ['*'], models: ['m'], members: [], ...of.pool }),
      ...(of.spare
        ? [poolSchema.parse({ name: 'spare', groups: ['*'], models: ['spare'], members: [], ...of.spare })]
        : []),
      ...(of.cloud
        ? [poolSchema.parse({ name: 'cloud', groups: ['*'], models: ['cloud'], members: [], ...of.cloud })]
        : []),
    ],
  });
  const clients = createUpstreamClients(SEAL_KEY, { ambientHosts: ['127.0.0.1'] });
  const health = createHealthRegistry({ self: 'test' });
  const table = buildRoutingTable(
    snapshot,
    clients.update(snapshot.catalogue.upstreams),
    createTableDependencies(health),
  );
  return { table, health, close: () => clients.close() };
}

export function startForwarding(
  of: TestCatalogue & {
    admit?: ForwardOptions['admit'];
    lost?: ForwardOptions['lost'];
    /** What callers speak; Chat without it. */
    protocol?: ClientProtocol;
  },
): Forwarding {
  const { table, health, close } = buildTable(of);
  const routed = route(table, { group: 'g', model: 'm', protocol: of.protocol ?? 'openai-chat' });
  if (!routed.ok) throw new Error(routed.error.message);
  return {
    health,
    stages: routed.stages,
    send({ deadlineMs = 60_000, keyId = 'key', ...request } = {}) {
      const json = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
      return forward(
        routed.stages,
        {
          protocol: 'openai-chat',
          action: request.stream ? 'stream' : 'generate',
          headers: {},
          passHeaders: new Set<string>(),
          hops: 'test',
          query: '',
          payload: createTestPayload({ ...json, ...(request.stream ? { stream: true } : {}) }),
          model: 'm',
          namedModel: 'm',
          stream: false,
          framing: 'sse',
          includeUsage: false,
          background: false,
          outputLimit: null,
          defaultMaxTokens: 100,
          strict: false,
          states: createStateWrapper(SEAL_KEY),
          storedIds: createStoredIds(Buffer.alloc(32)),
          accountId: 'account',
          gone: new AbortController().signal,
          signal: new AbortController().signal,
          ...request,
        },
        {
          deadlineAt: performance.now() + deadlineMs,
          answerLimitBytes: 1_000_000,
          admit: async (candidate) => (await of.admit?.(candidate)) ?? { ok: true, settle: () => {} },
          lost: of.lost ?? (() => {}),
          sticky: { keyId, prompt: () => JSON.stringify(json) },
        },
      );
    },
    close,
  };
}

/** The body of a small request; as it is written where it is a text. */
export function createTestPayload(body: string | Readonly<Record<string, unknown>>): Payload {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const lease = createBodyMemory({ bodyMemoryBytes: 1_000_000, keyBodyMemoryBytes: 1_000_000 }).lease('key');
  return createPayload(bytes, JSON.parse(bytes.toString()) as Record<string, unknown>, { lease, values: 1 });
}

/** Who answered, or the kind of the error. */
export function outcome(forwarded: Forwarded): string {
  if (forwarded.kind === 'failed') return forwarded.error.kind;
  if (forwarded.kind === 'aborted') return 'aborted';
  if (forwarded.kind === 'stream') forwarded.body.destroy();
  return `${forwarded.candidate.client.upstream.name} as ${forwarded.request.model}`;
}

/** Two members of a pool, the second when the first fails. */
export const inTurn = { members: [{ upstream: 'one' }, { upstream: 'two', priority: 1 }] };

/**
 * Two simulated upstreams for each test of a file, told to `take` before it, and what it takes to forward to them. What a
 * test starts is closed after it.
 */
export function withTwoUpstreams(take: (one: Simulated, two: Simulated) => void) {
  let pair: readonly [Simulated, Simulated];
  let forwarding: Forwarding | undefined;
  beforeEach(async () => {
    forwarding = undefined;
    pair = await Promise.all([simulate(), simulate()]);
    take(...pair);
  });
  afterEach(async () => {
    await forwarding?.close();
    await Promise.all(pair.map((each) => each.close()));
  });
  const running = (): Forwarding => {
    if (!forwarding) throw new Error('nothing is started');
    return forwarding;
  };
  return {
    start: (...of: Parameters<typeof startForwarding>): Forwarding => (forwarding = startForwarding(...of)),
    running,
    send: async (of: Parameters<Forwarding['send']>[0] = {}) => outcome(await running().send(of)),
    both: () => [upstream('one', pair[0].url, ['a']), upstream('two', pair[1].url, ['b'])],
  };
}
