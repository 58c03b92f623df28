import type { RequestOf, rerates } from '@tollgate/api';
import { type PriceSnapshot, priceSnapshotSchema } from '@tollgate/catalogue';
import { draftAnswerSchema, MESSAGE } from '@tollgate/contracts';
import { httpError, unavailable, type RequestReplyClient } from '@tollgate/platform';
import { LRUCache } from 'lru-cache';
import { type Rater, raterFor } from './rater.ts';

type RerateBody = RequestOf<typeof rerates.rerate>['body'];

/** Finds the prices for a request that was booked with a version. */
export type PriceSource = (bookedVersion: number) => Rater | Promise<Rater>;

const ANSWER_WITHIN_MS = 10_000;
const VERSIONS_HELD = 50;

/**
 * Where a re-rating takes its prices from.
 *
 * @throws HttpException 400 for a draft that cannot be published, 404 for what pricing does not know, 503 when pricing
 *   is away.
 */
export async function priceSourceFor(
  { version, draft }: Pick<RerateBody, 'version' | 'draft'>,
  pricing: RequestReplyClient,
): Promise<PriceSource> {
  if (version === 'as-booked') return asBooked(pricing);
  if (version !== undefined) {
    const rater = raterFor(await snapshotOf(version, pricing));
    return () => rater;
  }
  const rater = raterFor(await draftSnapshot(draft ?? '', pricing));
  return () => rater;
}

function asBooked(pricing: RequestReplyClient): PriceSource {
  const raters = new LRUCache<number, Rater>({ max: VERSIONS_HELD });
  return (version) => {
    const held = raters.get(version);
    if (held) return held;
    return snapshotOf(version, pricing).then((snapshot) => {
      const rater = raterFor(snapshot);
      raters.set(version, rater);
      return rater;
    });
  };
}

async function snapshotOf(version: number, pricing: RequestReplyClient): Promise<PriceSnapshot> {
  const found = await asked(() =>
    pricing.request(MESSAGE.snapshotGet, { version }, priceSnapshotSchema.nullable(), ANSWER_WITHIN_MS),
  );
  if (!found)
    throw httpError(404, `There is no version ${version} of the prices.`, 'version', 'no_such_version', {
      version,
    });
  return found;
}

async function draftSnapshot(name: string, pricing: RequestReplyClient) {
  const answer = await asked(() =>
    pricing.request(MESSAGE.draftGet, { name }, draftAnswerSchema.nullable(), ANSWER_WITHIN_MS),
  );
  if (!answer) throw httpError(404, `There is no draft "${name}".`, 'draft', 'no_such_draft', { name });
  if (!answer.snapshot) {
    const faults = answer.faults.join('; ');
    throw httpError(400, `The draft "${name}" has faults: ${faults}`, 'draft', 'draft_has_faults', {
      faults,
    });
  }
  return answer.snapshot;
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw unavailable('Prices cannot be read at the moment. Try again shortly.', error);
  }
}
