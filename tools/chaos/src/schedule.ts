import { seededRandom } from './random.ts';

export const VICTIMS = [
  'gateway',
  'gateway-2',
  'billing',
  'pricing',
  'redis',
  'redis with its data',
  'postgres',
] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Kill {
  /** Milliseconds after the load began. */
  readonly atMs: number;
  readonly victim: Victim;
}

/** Kills at random moments, in their order. Every victim comes once before one comes again, in an order of chance. */
export function scheduleKills(seed: number, count: number, lastsMs: number): Kill[] {
  const random = seededRandom(seed);
  let bag: Victim[] = [];
  const draw = (): Victim => {
    if (bag.length === 0) bag = [...VICTIMS];
    const [victim] = bag.splice(Math.floor(random() * bag.length), 1);
    return victim ?? 'gateway';
  };
  const moments = Array.from({ length: count }, () => Math.floor((0.05 + 0.9 * random()) * lastsMs));
  return moments.sort((a, b) => a - b).map((atMs) => ({ atMs, victim: draw() }));
}
