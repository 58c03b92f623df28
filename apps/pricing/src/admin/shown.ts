import type { PriceSnapshot } from '@tollgate/contracts';
import type { EntryDifference } from '../catalogue/diff.ts';
import type { VersionEntry } from '../snapshots/snapshot-store.ts';

/** A snapshot without its credentials. */
export const shownSnapshot = ({ version, hash, published_at, catalogue }: PriceSnapshot): object => ({
  version,
  hash,
  published_at,
  catalogue: {
    ...catalogue,
    upstreams: catalogue.upstreams.map(({ sealed_credential, ...upstream }) => ({
      ...upstream,
      has_credential: sealed_credential !== null,
    })),
  },
});

/** A version as lists show it. */
export const shownVersion = ({ version, hash, publishedAt, actor, reason }: VersionEntry): object => ({
  version,
  hash,
  published_at: publishedAt.toISOString(),
  actor,
  reason,
});

const SEALED = '(sealed)';

/** Differences in which a credential that changed is seen to have changed, and nothing more. */
export const shownDifferences = (differences: readonly EntryDifference[]): object[] =>
  differences.map((entry) =>
    entry.section === 'upstreams' ? { ...entry, fields: entry.fields.map(withoutCredential) } : entry,
  );

function withoutCredential(field: EntryDifference['fields'][0]): object {
  const hide = (value: unknown): unknown => {
    if (field.path === '/sealed_credential') return typeof value === 'string' ? SEALED : value;
    const whole = field.path === '' && typeof value === 'object' && value !== null;
    if (!whole || !('sealed_credential' in value) || value.sealed_credential === null) return value;
    return { ...value, sealed_credential: SEALED };
  };
  return {
    path: field.path,
    ...('from' in field ? { from: hide(field.from) } : {}),
    ...('to' in field ? { to: hide(field.to) } : {}),
  };
}
