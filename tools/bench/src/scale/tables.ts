import { toUsageQueue } from '@tollgate/contracts';
import findSlot from 'cluster-key-slot';
import { BUSY, CORES_OF_NODE, CPU, EVENT_BYTES, LEAST_NODES, PRICES, RATES, TURN } from './figures.ts';

const SECONDS_OF_DAY = 86_400;
const SLOTS = 16_384;

/** What a rate needs. */
interface Need {
  /** Cores that are busy for {@link BUSY} of the time, by what runs on them. */
  readonly cores: Readonly<Record<keyof typeof CPU, number>>;
  readonly nodes: number;
  /** Each with a PostgreSQL and a journal of its own. */
  readonly deployments: number;
  /** Of each deployment. */
  readonly redisServers: number;
  readonly terabytesADay: number;
  /** USD of a million requests. */
  readonly computing: number;
  readonly diskMonth: number;
}

const toCores = (rate: number, us: number): number => (rate * us) / 1e6 / BUSY;

/** @param rate requests a second. */
export function computeNeed(rate: number): Need {
  const cores = {
    gateway: toCores(rate, CPU.gateway.us),
    redis: toCores(rate, CPU.redis.us),
    billing: toCores(rate, CPU.billing.us),
    postgres: toCores(rate, CPU.postgres.us),
  };
  const all = Object.values(cores).reduce((sum, each) => sum + each, 0);
  const deployments = Math.ceil(toCores(rate, TURN.us));
  return {
    cores,
    nodes: Math.max(Math.ceil(all / CORES_OF_NODE), LEAST_NODES),
    deployments,
    redisServers: Math.ceil(cores.redis / deployments),
    terabytesADay: (rate * EVENT_BYTES * SECONDS_OF_DAY) / 1e12,
    computing: ((all / rate) * 1e6 * PRICES.coreHour) / 3_600,
    diskMonth: ((EVENT_BYTES * 1e6) / 1e9) * PRICES.gigabyteMonth,
  };
}

const shown = (value: number): string =>
  value < 10 ? String(Number(value.toPrecision(2))) : value.toFixed(0);

const table = (head: readonly string[], rows: readonly (readonly string[])[], texts = 1): string =>
  [
    `| ${head.join(' | ')} |`,
    `| ${head.map((_, index) => (index === 0 || index >= head.length - texts + 1 ? '---' : '---:')).join(' | ')} |`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

const figuresTable = (): string =>
  table(
    ['what', 'CPU, µs', 'from'],
    [
      ...[...Object.values(CPU), TURN].map(({ what, us, from }) => [what, String(us), from]),
      ['an event on the disk, with indices', `${EVENT_BYTES / 1_000} kB`, '`bench -- posting`'],
    ],
    2,
  );

/** What is used up first, of what {@link computeNeed} counts. */
const nameFirst = ({ deployments, cores }: Need): string => {
  if (deployments > 1) return 'the turn of the journal: cells are not built';
  return cores.postgres * BUSY > 0.2 ? 'the disk; PostgreSQL with few cores' : 'the disk';
};

function needsTable(): string {
  const needs = RATES.map(computeNeed);
  const row = (what: string, show: (need: Need) => string) => [what, ...needs.map(show)];
  return table(
    ['requests a second', ...RATES.map((rate) => rate.toLocaleString('en-US'))],
    [
      row('cores of gateways (one process each)', ({ cores }) => shown(cores.gateway)),
      row('cores of Redis', ({ cores }) => shown(cores.redis)),
      row('cores of billing', ({ cores }) => shown(cores.billing)),
      row('cores of PostgreSQL', ({ cores }) => shown(cores.postgres)),
      row(`nodes of ${CORES_OF_NODE} cores, two of everything at the least`, ({ nodes }) => String(nodes)),
      row('deployments with a PostgreSQL of their own, by the turn', ({ deployments }) =>
        String(deployments),
      ),
      row('in each of them, Redis servers, and as many shards', ({ redisServers }) => String(redisServers)),
      row('new rows and indices in a day, terabyte', ({ terabytesADay }) => shown(terabytesADay)),
      row('a million requests, USD of computing', ({ computing }) => computing.toFixed(4)),
      row('and of a month of their disk', ({ diskMonth }) => diskMonth.toFixed(2)),
      row('what breaks first', nameFirst),
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
