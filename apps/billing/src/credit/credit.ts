import { accountScope, type CreditScope, type UsageEvent } from '@tollgate/contracts';
import type { CreditScopes } from '@tollgate/limits';
import type { DataSource } from 'typeorm';
import { catchUpWith, readBookedCredit } from './booked-credit.ts';
import type { CreditChanges } from './credit-changes.ts';
import { limitedScopes, scopesOfKeys } from './limited-scopes.ts';

/** Redis may hear of yet higher versions meanwhile. */
const MAX_TRIES = 3;
/** Scopes that are read and written together. */
const PAGE = 500;

/** Brings what Redis knows of credit to what the books say. Everything may be repeated. */
export interface Credit extends CreditChanges {
  /** Writes scopes to Redis, new ones too. @throws while the database or Redis is away. */
  load(scopes: readonly CreditScope[]): Promise<void>;
  /**
   * After the commit: what usage cost is now among what is booked, so its holds are released, in the same step as what
   * is left is lowered. Requests whose event was rejected are released too. Never throws: what fails is done later.
   */
  posted(usage: readonly UsageEvent[], rejected?: readonly string[]): Promise<void>;
  /** As {@link posted}, by the holds alone. @throws while the database or Redis is away. */
  release(requestIds: readonly string[]): Promise<void>;
  /** Reads every scope again that Redis has. @throws while the database or Redis is away. */
  refreshAll(): Promise<void>;
}

/**
 * @param later is told why something could not be done at once: {@link Credit.refreshAll} must follow.
 * @param putBack is told that Redis knew a version that this database has not given out yet: it was restored, or failed
 *   over to a standby that lacked the last moments. Its versions go on above that one.
 */
export function createCredit(
  database: DataSource,
  scopes: CreditScopes,
  later: (reason: Error) => void,
  putBack: (version: number) => void = () => {},
): Credit {
  async function write(
    names: readonly CreditScope[],
    release: readonly string[] = [],
    create = false,
  ): Promise<void> {
    if (names.length === 0 && release.length === 0) return;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const booked = await readBookedCredit(database, names);
      const newest = await scopes.write(booked, { release, create });
      if (newest < booked.version) return;
      // Somebody has read later and written earlier, where this database gave a higher version out; no other has this very one.
      if (newest > booked.version && !(await catchUpWith(database, newest))) return;
      putBack(newest);
    }
  }

  /** The holds' own scopes as well: a limit may have been lifted while they were held. */
  async function release(usage: readonly UsageEvent[], requestIds: readonly string[]): Promise<void> {
    const [limited, holds] = await Promise.all([limitedScopes(database, usage), scopes.holdsOf(requestIds)]);
    const names = new Set([...limited, ...holds.flatMap((hold) => hold.scopes)]);
    await write(
      [...names],
      holds.map(({ requestId }) => requestId),
    );
  }

  return {
    load: (names) => write(names, [], true),
    posted: (usage, rejected = []) =>
      release(usage, [...usage.map(({ request_id }) => request_id), ...rejected]).catch(later),
    release: (requestIds) => release([], requestIds),
    changed(accountIds, keyIds = []) {
      scopesOfKeys(database, keyIds)
        .then((ofKeys) => write([...new Set([...accountIds.map(accountScope), ...ofKeys])]))
        .catch(later);
    },
    async refreshAll() {
      for await (const known of scopes.known()) {
        for (let at = 0; at < known.length; at += PAGE) await write(known.slice(at, at + PAGE));
      }
    },
  };
}
