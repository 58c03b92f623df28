/** What a request is spent on in the gateway: its steps in their order, and what they stand on. */
export const STEPS = [
  'authenticate',
  'receive',
  'admit: limits',
  'admit: prices and credit',
  'admit: tokens estimated',
  'admit: the rest',
  'route',
  'forward: request made',
  'forward: sent and read',
  'forward: health',
  'forward: the rest',
  'deliver',
  'meter',
  'publish',
  'telemetry',
  'relay',
  'undici',
  'Fastify',
  'Redis clients',
  'HTTP and sockets',
  'rest of Node',
  'garbage',
] as const;
export type Step = (typeof STEPS)[number];

/**
 * Which step a file works for; the first that fits counts. What fits nowhere works for whoever called it: libraries that
 * several steps use, packages that do our work, timers and buffers of Node.
 */
const FILES: readonly (readonly [Step, RegExp])[] = [
  ['authenticate', /^gateway\/authenticate\//],
  ['receive', /^gateway\/(?:body|upload|idempotency|kept-responses)\//],
  ['receive', /^gateway\/relay\/(?:receive|begin-execution|recall)/],
  ['admit: limits', /^gateway\/admit\/(?:upstream-limits|slot|rate-headers)|^libs\/limits\/(?!credit|hold)/],
  [
    'admit: prices and credit',
    /^gateway\/(?:admit\/(?:reserve|credit-loader|calendar-day)|relay\/select-prices)|^libs\/limits\/(?:credit|hold)|^libs\/(?:catalogue|money)\//,
  ],
  ['admit: tokens estimated', /^libs\/metering\/(?:estimate|bound|measure-task|given-up)/],
  ['admit: the rest', /^gateway\/(?:admit\/|relay\/admit-request)/],
  ['route', /^gateway\/(?:route\/|balance\/|relay\/route-request)/],
  ['meter', /^gateway\/relay\/(?:record-usage|usage-event|unseen)|^libs\/metering\/meter/],
  ['publish', /^gateway\/publish\/|^libs\/platform\/group-commit/],
  ['telemetry', /^gateway\/(?:telemetry\/|request-log\/|relay\/relay-watched)/],
  [
    'forward: request made',
    /^gateway\/(?:forward\/(?:prepare|outgoing-request|headers|find-path|limited-output|refused-tools|secrets|body|hops)|upstream-auth\/|reasoning\/|relay\/build-outgoing)/,
  ],
  [
    'forward: sent and read',
    /^gateway\/forward\/(?:ask|exchange|answer|read-answer|beginning|unframe-answer|unpack-answer|abort-notice)/,
  ],
  ['forward: health', /^gateway\/(?:health|upstream[-a-z]*)\//],
  ['forward: the rest', /^gateway\/(?:forward\/|relay\/forward-request)/],
  ['deliver', /^gateway\/relay\/(?:deliver|send|shape|stream-writer|early-stream|departures)/],
  ['relay', /^gateway\//],
  ['undici', /^packages\/undici\//],
  ['Fastify', /^packages\/(?:fastify|find-my-way|@fastify|@nestjs|reusify)\//],
  ['Redis clients', /^packages\/(?:ioredis|bullmq|@ioredis|redis-[a-z]+)\//],
  ['HTTP and sockets', /^node:(?:_http|http|net|stream|internal\/(?:http|net|stream))/],
];

/** As V8 writes a profile down. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  /** Ids of nodes, one at each tick. */
  readonly samples?: readonly number[];
}

/** Of the time in which the thread worked, the share of each step. */
export function computeShares({ nodes, samples = [] }: CpuProfile): Readonly<Record<Step, number>> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stepOf = new Map<number, Step | 'idle' | undefined>();
  const walk = (id: number, above: Step | 'idle' | undefined): void => {
    const node = byId.get(id);
    if (!node) return;
    const step = findStep(node.callFrame) ?? above;
    stepOf.set(id, step);
    node.children?.forEach((child) => walk(child, step));
  };
  if (nodes[0]) walk(nodes[0].id, undefined);
  const counts = new Map<Step, number>();
  let worked = 0;
  for (const id of samples) {
    const step = stepOf.get(id) ?? 'rest of Node';
    if (step === 'idle') continue;
    worked += 1;
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  const share = (step: Step) => (counts.get(step) ?? 0) / Math.max(1, worked);
  return Object.fromEntries(STEPS.map((step) => [step, share(step)])) as Record<Step, number>;
}

function findStep({
  functionName,
  url,
}: CpuProfile['nodes'][number]['callFrame']): Step | 'idle' | undefined {
  if (functionName === '(idle)') return 'idle';
  if (functionName === '(garbage collector)') return 'garbage';
  if (url === '') return undefined;
  const file = toShortPath(url);
  return FILES.find(([, pattern]) => pattern.test(file))?.[0];
}

/** `gateway/relay/relay.js`, `libs/limits/lease.js`, `packages/undici/lib/…` or `node:net`, wherever the checkout is. */
const toShortPath = (url: string): string =>
  url
    .replace(/^.*\/node_modules\//, 'packages/')
    .replace(/^file:.*\/apps\/gateway\/dist\//, 'gateway/')
    .replace(/^file:.*\/libs\/([^/]+)\/dist\//, 'libs/$1/');
