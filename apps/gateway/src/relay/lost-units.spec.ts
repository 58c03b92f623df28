/*
 * Relays tasks that are sold by the unit to an upstream that does not answer, and reads the events that are published.
 */
import type { UsageEvent } from '@tollgate/contracts';
import { buildTable, upstream } from '../../testing/forwarding.ts';
import { type Leaves, send, trailUpstream, withRelayTrail } from '../../testing/relay-trail.ts';
import { createDepartures } from './departures.ts';

withRelayTrail();

type Watched = Parameters<ReturnType<typeof createDepartures>['watch']>[0];

interface Task {
  readonly operation: 'rerank' | 'draw' | 'speak';
  readonly path: string;
  readonly body: object;
  readonly units: Readonly<Record<string, number>>;
}
const TASKS: readonly Task[] = [
  {
    operation: 'rerank',
    path: '/v1/rerank',
    body: { query: 'which', documents: ['a', 'b'] },
    units: { rerank_units: 1 },
  },
  {
    operation: 'draw',
    path: '/v1/images/generations',
    body: { prompt: 'a lighthouse', n: 3 },
    units: { images: 3 },
  },
  {
    operation: 'speak',
    path: '/v1/audio/speech',
    body: { input: 'twelve signs', voice: 'alloy' },
    units: { characters: 12 },
  },
];

/** What is published of a task. */
async function publish(
  { operation, path, body }: Task,
  script: object,
  leaves?: Leaves,
): Promise<UsageEvent[]> {
  const simulated = trailUpstream();
  await simulated.script(script);
  const { table, close } = buildTable({
    upstreams: [upstream('one', simulated.url, ['a'])],
    pool: { members: [{ upstream: 'one' }], attempts: 1 },
    model: {
      operations: [operation],
      unit_prices: { rerank_units: 1, images: 1, characters: 1 },
    },
  });
  const events: UsageEvent[] = [];
  const stopped = createDepartures({ readOnMs: 60_000, perKey: 9, perProcess: 9 });
  stopped.stop();
  // Nothing is kept for a repeat of the request.
  const departures = { watch: (of: Watched) => stopped.watch({ ...of, keepsAnswer: false }) };
  const publisher = { publish: async (event: UsageEvent) => void events.push(event) };
  const of = { path, body: { messages: undefined, ...body } };
  await send(of, { table: () => table, publisher, departures }, leaves);
  await close();
  return events;
}

test.each(TASKS)('an attempt to $operation that is lost costs us its units', async (task) => {
  const [lost, ...more] = await publish(task, { cut_before_headers: true });
  expect(more).toEqual([]);
  expect(lost).toMatchObject({ lost: 'reset', counted: Object.keys(task.units) });
  expect(lost?.lines[0]?.counts).toMatchObject(task.units);
});

test.each(TASKS)(
  'who leaves before an answer to $operation pays its units, though the gateway stops',
  async (task) => {
    const [left, ...more] = await publish(task, { hang: true }, 'before the answer');
    expect(more).toEqual([]);
    expect(left).toMatchObject({ outcome: 'client_aborted', counted: Object.keys(task.units) });
    expect(left?.lines[0]?.counts).toMatchObject(task.units);
  },
);
