import { readFileSync } from 'node:fs';
import { cpuMicros } from '../relay/process-cpu.ts';

/** What has a part in posting, each with the processes that it has just then. */
export type Parts = Readonly<Record<'billing' | 'postgres' | 'redis', () => readonly number[]>>;

/** Microseconds of CPU. */
export type Spent = Readonly<Record<keyof Parts, number>>;

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

const TICK_MICROS = 10_000;

/** What the processes that it has started and that have ended ran: connections of PostgreSQL come and go. */
function endedMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return sum(fields.slice(13, 15).map(Number)) * TICK_MICROS;
}

/** Since their processes began. */
export const readSpent = ({ billing, postgres, redis }: Parts): Spent => ({
  billing: sum(billing().map(cpuMicros)),
  postgres: sum(postgres().map((pid) => cpuMicros(pid) + endedMicros(pid))),
  redis: sum(redis().map(cpuMicros)),
});

/** What was spent from `before` on, of each of so many. */
export function spentSince(parts: Parts, before: Spent, count: number): Spent {
  const now = readSpent(parts);
  return {
    billing: (now.billing - before.billing) / count,
    postgres: (now.postgres - before.postgres) / count,
    redis: (now.redis - before.redis) / count,
  };
}
