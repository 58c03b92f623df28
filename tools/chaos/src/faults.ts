import { seededRandom } from './random.ts';

/** What is done to the stack while requests run. */
export const FAULTS = [
  'kill gateway',
  'kill gateway-2',
  'kill billing',
  'kill billing-2',
  'kill billing-3',
  'kill billing-2 and billing-3',
  'kill all billings',
  'kill pricing',
  'kill redis',
  'kill redis with its data',
  'kill postgres',
  'freeze gateway',
  'freeze billing',
  'freeze pricing',
  'freeze redis',
  'freeze postgres',
  'fill the disk of gateway-2',
  'fill redis',
  'set the clock of gateway to 2036',
  'set the clock of gateway-2 to 1970',
  'change a line in the spool of gateway-2',
] as const;
/** What an upgrade and a way back do: one service is of an earlier release for a while, and all others are not. */
export const ROLLBACKS = ['roll back gateway-2', 'roll back billing', 'roll back pricing'] as const;
export type Fault = (typeof FAULTS)[number] | (typeof ROLLBACKS)[number];

/** One billing or more of those that share a queue and a database are killed. */
export const BILLING_KILLS: readonly Fault[] = FAULTS.filter((fault) => /^kill .*billing/.test(fault));

export interface PlannedFault {
  /** Milliseconds after the load began. */
  readonly atMs: number;
  readonly fault: Fault;
}

/** Faults at random moments, in their order. Every one comes once before one comes again, in an order of chance. */
export function planFaults(
  seed: number,
  count: number,
  lastsMs: number,
  faults: readonly Fault[] = FAULTS,
): PlannedFault[] {
  const random = seededRandom(seed);
  let bag: Fault[] = [];
  const draw = (): Fault => {
    if (bag.length === 0) bag = [...faults];
    const [fault] = bag.splice(Math.floor(random() * bag.length), 1);
    return fault ?? 'kill gateway';
  };
  const moments = Array.from({ length: count }, () => Math.floor((0.05 + 0.9 * random()) * lastsMs));
  return moments.sort((a, b) => a - b).map((atMs) => ({ atMs, fault: draw() }));
}
