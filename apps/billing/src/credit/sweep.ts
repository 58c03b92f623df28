import type { CreditScopes, HoldRecord } from '@tollgate/limits';
import { column, readRows } from '@tollgate/platform';
import type { Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { findJobStates, giveUpStarting } from '../background/background-jobs.ts';
import { lookUpPosted } from '../usage/posted-requests.ts';
import type { Credit } from './credit.ts';

/** A hold that is known for less than this is left to the posting that is about to release it. */
const POSTED_AFTER_MS = 5_000;
/** A gateway must be missed for this long beyond its sign of life: after a loss of Redis it has time to give one. */
const MISSED_MS = 5_000;
/** No request and no way to the books takes a day: what is still held then belongs to nobody. */
const FORGOTTEN_MS = 24 * 3_600_000;
/** But its age is the word of its gateway, whose clock may be of any year: no hold is forgotten that is not known for so long. */
const KNOWN_MS = 3 * 3_600_000;

/**
 * Takes back holds that nobody else will: of requests that are in the books already (billing was killed between the
 * commit and the release), and of gateways that died, whose requests ended with them and are recorded as lost. What a
 * dead gateway had settled stays held, for its usage is on its way to the books; so does what a job holds that goes on
 * without its gateway, and that of usage which waits to be booked, however long. It may be repeated, also while another
 * sweep runs.
 *
 * @returns a sweep; it throws while the database or Redis is away.
 */
export function createSweep(
  parts: {
    readonly database: DataSource;
    readonly scopes: CreditScopes;
    readonly credit: Credit;
    readonly logger: Logger;
  },
  {
    now = () => performance.now(),
    wallNow = Date.now,
  }: {
    /** Of a clock that nobody sets, in milliseconds. */
    readonly now?: () => number;
    /** Milliseconds since 1970. */
    readonly wallNow?: () => number;
  } = {},
): () => Promise<void> {
  const { database, scopes, credit, logger } = parts;
  /** Since when each hold is known here, by request. */
  let known = new Map<string, number>();
  /** Since when each gateway is missed. */
  const missed = new Map<string, number>();

  async function deadAmong(gateways: ReadonlySet<string>): Promise<Set<string>> {
    const living = await scopes.living([...gateways]);
    const dead = new Set<string>();
    for (const gateway of gateways) {
      if (living.has(gateway)) missed.delete(gateway);
      else {
        const since = missed.get(gateway) ?? now();
        missed.set(gateway, since);
        if (now() - since >= MISSED_MS) dead.add(gateway);
      }
    }
    return dead;
  }

  async function sweepSome(holds: readonly HoldRecord[], dead: ReadonlySet<string>): Promise<void> {
    const isKnownFor = ({ requestId }: HoldRecord, ms: number) =>
      now() - (known.get(requestId) ?? now()) > ms;
    const isForgotten = (hold: HoldRecord) =>
      Math.abs(wallNow() - hold.at) > FORGOTTEN_MS && isKnownFor(hold, KNOWN_MS);
    const isLost = (hold: HoldRecord) => (dead.has(hold.gateway) && !hold.settled) || isForgotten(hold);
    const looked = holds.filter((hold) => isLost(hold) || isKnownFor(hold, POSTED_AFTER_MS));
    const { posted, waiting } = await inBooks(database, looked);
    const jobs = await sortJobs(database, looked, isLost);
    const lost = looked.filter(
      (hold) =>
        isLost(hold) && ![posted, waiting, jobs.held, jobs.over].some((each) => each.has(hold.requestId)),
    );
    await recordLost(database, lost);
    for (const { requestId, accountId, gateway } of lost)
      logger.warn(
        { event: 'reservation_lost', request_id: requestId, account_id: accountId, gateway },
        'a reservation is lost and released',
      );
    await credit.release([...posted, ...jobs.over, ...lost.map(({ requestId }) => requestId)]);
  }

  return async () => {
    const pages: (readonly HoldRecord[])[] = [];
    for await (const page of scopes.holds()) pages.push(page);
    known = new Map(pages.flat().map(({ requestId }) => [requestId, known.get(requestId) ?? now()]));
    const gateways = new Set(pages.flat().map(({ gateway }) => gateway));
    for (const gateway of missed.keys()) if (!gateways.has(gateway)) missed.delete(gateway);
    const dead = await deadAmong(gateways);
    for (const page of pages) await sweepSome(page, dead);
  };
}

const keptRequestRow = z.object({ request_id: column.text, state: z.enum(['rejected', 'waiting']) });

interface Known {
  /** Those that were posted, or rejected for good. */
  readonly posted: ReadonlySet<string>;
  /** Those whose usage waits to be booked. */
  readonly waiting: ReadonlySet<string>;
}

/** What the books know of the requests of these holds. */
async function inBooks(database: DataSource, holds: readonly HoldRecord[]): Promise<Known> {
  if (holds.length === 0) return { posted: new Set(), waiting: new Set() };
  const requestIds = holds.map(({ requestId }) => requestId);
  const { posted } = await lookUpPosted(database, requestIds);
  const kept = await readRows(
    database,
    keptRequestRow,
    'SELECT request_id, state FROM billing.usage_rejected WHERE request_id = ANY($1)',
    [requestIds],
  );
  const list = (wanted: 'rejected' | 'waiting') =>
    kept.flatMap(({ request_id, state }) => (state === wanted ? [request_id] : []));
  return { posted: new Set([...posted, ...list('rejected')]), waiting: new Set(list('waiting')) };
}

/** What goes on without its gateway keeps its hold until its end is in the books; what ended without a charge does not. */
async function sortJobs(
  database: DataSource,
  holds: readonly HoldRecord[],
  isLost: (hold: HoldRecord) => boolean,
): Promise<{ readonly held: ReadonlySet<string>; readonly over: ReadonlySet<string> }> {
  const jobs = await findJobStates(
    database,
    holds.map(({ requestId }) => requestId),
  );
  const stateOf = (requestId: string) => jobs.get(requestId)?.state;
  const starting = holds.filter((hold) => isLost(hold) && stateOf(hold.requestId) === 'starting');
  const givenUp = await giveUpStarting(
    database,
    starting.map(({ requestId }) => requestId),
  );
  const held = new Set<string>();
  const over = new Set<string>();
  for (const { request_id: requestId, state, is_billed: isBilled } of jobs.values())
    if (state === 'ended' && !isBilled) over.add(requestId);
    else if (!givenUp.has(requestId)) held.add(requestId);
  return { held, over };
}

async function recordLost(database: DataSource, lost: readonly HoldRecord[]): Promise<void> {
  if (lost.length === 0) return;
  await database.query(
    `INSERT INTO billing.reservation_lost
       (request_id, account_id, key_id, gateway, amount_pico, settled, reserved_at)
     SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::numeric[], $6::boolean[], $7::timestamptz[])
     ON CONFLICT (request_id) DO NOTHING`,
    [
      lost.map(({ requestId }) => requestId),
      lost.map(({ accountId }) => accountId),
      lost.map(({ keyId }) => keyId),
      lost.map(({ gateway }) => gateway),
      lost.map(({ amount }) => `${amount}000000`),
      lost.map(({ settled }) => settled),
      lost.map(({ at }) => new Date(at).toISOString()),
    ],
  );
}
