import { httpError, type Keyring, reseal } from '@tollgate/platform';
import { In } from 'typeorm';
import type { CatalogueChange, UpstreamInput } from '../catalogue/change.ts';
import { DraftEntity } from '../database/draft.entity.ts';
import type { PublishedBy } from '../snapshots/publication.ts';
import type { SnapshotStore } from '../snapshots/snapshot-store.ts';

/** The same credentials sealed with the first key. @throws HttpException 409 for one that no key opens. */
function resealedUpstream<T extends Pick<UpstreamInput, 'name' | 'credentials'>>(
  upstream: T,
  keys: Keyring,
): T {
  const { credentials } = upstream;
  if (credentials === undefined) return upstream;
  return {
    ...upstream,
    credentials: credentials.map((credential) =>
      credential.sealed === undefined
        ? credential
        : { ...credential, sealed: resealedText(credential.sealed, keys, upstream.name) },
    ),
  };
}

function resealedText(sealed: string, keys: Keyring, upstream: string): string {
  try {
    return reseal(sealed, keys);
  } catch (error) {
    const message = `A credential of the upstream "${upstream}" cannot be opened: ${(error as Error).message}. Name that key in SEAL_KEYS_OTHER, or enter the credential again.`;
    throw httpError(409, message, null, 'seal_key_unknown', { name: upstream });
  }
}

/** Changes whose credentials are sealed with the first key. @throws like {@link resealedUpstream}. */
export const resealedChanges = (changes: readonly CatalogueChange[], keys: Keyring): CatalogueChange[] =>
  changes.map((change) =>
    change.op === 'put' && change.section === 'upstreams'
      ? { ...change, entry: resealedUpstream(change.entry, keys) }
      : change,
  );

interface Resealed {
  readonly version: number | null;
  readonly changed: boolean;
  /** Upstreams and drafts with a credential that another key had sealed. */
  readonly upstreams: string[];
  readonly drafts: string[];
}

/**
 * Seals every credential of the catalogue and of drafts that may still be published with the first key; the catalogue
 * becomes a new version where that changed anything. Either all of it is done or nothing.
 *
 * @throws HttpException 409 for a credential that no key opens.
 */
export async function resealEverything(
  store: SnapshotStore,
  keys: Keyring,
  by: Pick<PublishedBy, 'actor'>,
): Promise<Resealed> {
  const current = await store.current();
  const { publication, upstreams, drafts } = await store.inTurn(async (manager, append) => {
    const newest = current?.catalogue.upstreams ?? [];
    const changed = newest
      .map((before) => ({ before, entry: resealedUpstream(before, keys) }))
      .filter(({ before, entry }) => JSON.stringify(before) !== JSON.stringify(entry));
    const changes = changed.map(({ entry }): CatalogueChange => ({ op: 'put', section: 'upstreams', entry }));
    const expected = current?.version;
    const publication =
      changes.length === 0
        ? undefined
        : await append(changes, { ...by, reason: 'credentials under a new key', expected });
    const touched: string[] = [];
    const open = await manager.find(DraftEntity, {
      where: { status: In(['open', 'scheduled', 'failed']) },
      order: { name: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    for (const row of open) {
      const resealed = JSON.stringify(resealedChanges(JSON.parse(row.changes) as CatalogueChange[], keys));
      if (resealed === row.changes) continue;
      await manager.update(DraftEntity, { name: row.name }, { changes: resealed });
      touched.push(row.name);
    }
    return { publication, upstreams: changed.map(({ before }) => before.name), drafts: touched };
  });
  if (publication?.changed) await store.announce(publication.snapshot);
  const version = publication?.snapshot.version ?? current?.version ?? null;
  return { version, changed: publication?.changed ?? false, upstreams, drafts };
}
