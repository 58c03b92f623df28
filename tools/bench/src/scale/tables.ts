import { toUsageQueue } from '@tollgate/contracts';
import findSlot from 'cluster-key-slot';
import { table } from '../table.ts';
import { CORES_OF_NODE, DISK_BYTES, RATES, RETENTION_DAYS } from './assumptions.ts';
import { BOOKS, GATEWAY, LIMITS, TURN, TURN_OF_MANY_KEYS, toTurnUs } from './measured.ts';
import { computeNeed, computeUse } from './need.ts';

const SLOTS = 16_384;

const shown = (value: number): string =>
  value < 10 ? String(Number(value.toPrecision(2))) : value.toFixed(0);
const counted = (value: number): string => value.toLocaleString('en-US');

const figuresTable = (): string =>
  [
    table(
      ['what', 'µs', 'measured', 'by'],
      [
        ['CPU of the gateway, of a chat of 1 KB', shown(GATEWAY.us), GATEWAY.day, '`bench -- relay`'],
        [
          'CPU of Redis for limits',
          shown(LIMITS.us),
          LIMITS.day,
          '`bench -- relay`, less the queue of `bench -- posting`',
        ],
        ...[TURN, TURN_OF_MANY_KEYS].map((turn) => [
          `the turn in which no other batch ends, of ${counted(turn.keys)} keys`,
          shown(toTurnUs(turn)),
          turn.day,
          `\`bench -- posting --turn\`, ${counted(turn.events)} events: sums ${turn.sums} ms, commit ${turn.commit}`,
        ]),
      ],
      [0, 2, 3],
    ),
    table(
      ['events/s', 'to a commit', 'billing, µs', 'PostgreSQL, µs', 'Redis, µs', 'kept, bytes', 'measured'],
      BOOKS.map(({ rate, batch, billing, postgres, redis, kept, day }) => [
        batch === undefined ? `a backlog, at ${counted(rate)}` : counted(rate),
        batch === undefined ? 'full' : counted(batch),
        ...[billing, postgres, redis, kept].map(counted),
        day,
      ]),
      [6],
    ),
  ].join('\n\n');

/** What is used up, or fullest where nothing is. */
function nameFirst(rate: number): string {
  const uses = computeUse(rate);
  const over = uses.filter(([, share]) => share >= 1);
  if (over.length > 0) return over.map(([what, share]) => `${what}: ${shown(share)} times`).join('; ');
  const [[what, share] = ['', 0]] = uses;
  return `nothing; ${what} is ${(share * 100).toFixed(0)} % full`;
}

function needsTable(): string {
  const needs = RATES.map(computeNeed);
  const row = (what: string, show: (need: (typeof needs)[number]) => string) => [what, ...needs.map(show)];
  return table(
    ['requests a second', ...RATES.map(counted)],
    [
      ['what is used up of one deployment first', ...RATES.map(nameFirst)],
      row('deployments with a PostgreSQL of their own, by the turn', ({ deployments }) =>
        String(deployments),
      ),
      row('books as measured at, events/s', ({ books }) => counted(books.rate)),
      row('cores of gateways (one process each)', ({ cores }) => shown(cores.gateway)),
      row('cores of Redis', ({ cores }) => shown(cores.redis)),
      row('cores of billing', ({ cores }) => shown(cores.billing)),
      row('cores of PostgreSQL', ({ cores }) => shown(cores.postgres)),
      row('Redis servers of a deployment, and as many shards', ({ redisServers }) => String(redisServers)),
      row('cores that are kept, with the least of each and a second PostgreSQL', ({ kept }) => shown(kept)),
      row(`nodes of ${CORES_OF_NODE} cores`, ({ nodes }) => String(nodes)),
      row('a million requests, USD of nodes', ({ computing }) => computing.toFixed(4)),
      row('and of a month of their disk', ({ diskMonth }) => diskMonth.toFixed(2)),
      row('new rows and indices in a day, TB', ({ terabytesADay }) => shown(terabytesADay)),
      row(
        `those of ${RETENTION_DAYS} days, of ${(DISK_BYTES / 1e12).toFixed(1)} TB a disk`,
        ({ terabytes }) => shown(terabytes),
      ),
      row("PostgreSQL's own log in a day, TB", ({ logADay }) => shown(logADay)),
      row('written to disks, MB/s', ({ writtenASecond }) => shown(writtenASecond)),
    ],
  );
}

/** The part of all jobs that the busiest of some masters has, each with as many slots, where shards have as many jobs. */
export function computeBusiest(shards: number, masters: number): number {
  const of = Array.from({ length: shards }, (_, shard) =>
    Math.floor((findSlot(toUsageQueue(shard)) * masters) / SLOTS),
  );
  return (
    Math.max(
      ...Map.groupBy(of, (master) => master)
        .values()
        .map(({ length }) => length),
    ) / shards
  );
}

const SHARDS = [1, 2, 4, 8, 16, 32, 64];
const MASTERS = [3, 6, 12];

const shardsTable = (): string =>
  table(
    ['shards', ...MASTERS.map((masters) => `${masters} masters`)],
    SHARDS.map((shards) => [
      String(shards),
      ...MASTERS.map((masters) => `${(computeBusiest(shards, masters) * 100).toFixed(0)} %`),
    ]),
  );

/** What is generated of docs/scale.md, by the names of its parts. */
export const SCALE_PARTS: Readonly<Record<string, () => string>> = {
  figures: figuresTable,
  needs: needsTable,
  shards: shardsTable,
};
