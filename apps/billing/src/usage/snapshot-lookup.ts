import {
  type PriceSnapshot,
  type UnverifiedSnapshot,
  unverifiedSnapshotSchema,
  verifySnapshot,
} from '@tollgate/catalogue';
import { MESSAGE, type UsageEvent } from '@tollgate/contracts';
import type { RequestReplyClient } from '@tollgate/platform';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Result } from './posting.ts';

const KEPT_MAX = 100;
/** What the columns of versions hold. */
const HIGHEST_VERSION = 2 ** 31 - 1;

/**
 * The prices that a request was admitted under: by their hash where it is told, for numbers may be given twice. The
 * number counts beside it, for going back to an older version publishes a catalogue again, under a new number.
 *
 * @throws while pricing is away; that it has no such prices is a result.
 */
type FindSnapshot = (
  event: Pick<UsageEvent, 'snapshot_version' | 'snapshot_hash'>,
) => Promise<Result<PriceSnapshot>>;

export function createSnapshotLookup(pricing: RequestReplyClient): FindSnapshot {
  const snapshots = new LRUCache<string, PriceSnapshot>({ max: KEPT_MAX });
  return async ({ snapshot_version: version, snapshot_hash: hash }) => {
    const name = `${version} ${hash ?? ''}`;
    const held = snapshots.get(name);
    if (held) return { ok: true, value: held };
    if (version > HIGHEST_VERSION) return { ok: false, reason: `no version is as high as ${version}` };
    const described = `version ${version}${hash === undefined ? '' : ` with the hash ${hash}`}`;
    try {
      const question = hash === undefined ? { version } : { version, hash };
      const answer = unverifiedSnapshotSchema.nullable();
      const found = await pricing.request(MESSAGE.snapshotGet, question, answer);
      if (!found) return { ok: false, reason: `pricing does not know ${described}` };
      const snapshot = verified(found);
      if (hash !== undefined && snapshot.hash !== hash)
        return { ok: false, reason: `pricing answered ${snapshot.hash} for ${described}` };
      snapshots.set(name, snapshot);
      return { ok: true, value: snapshot };
    } catch (error) {
      if (!isAnswer(error)) throw error;
      return { ok: false, reason: `pricing has no good answer for ${described}: ${error.message}` };
    }
  };
}

class BadSnapshot extends Error {
  override readonly name = 'BadSnapshot';
}

function verified(found: UnverifiedSnapshot): PriceSnapshot {
  try {
    return verifySnapshot(found);
  } catch (error) {
    throw new BadSnapshot(error instanceof Error ? error.message : String(error));
  }
}

/** Pricing is there, and has no such prices to give; that it is away is another error. */
const isAnswer = (error: unknown): error is { readonly message: string } =>
  error instanceof z.ZodError ||
  error instanceof BadSnapshot ||
  (typeof error === 'object' && error !== null && 'status' in error && error.status === 'error');
