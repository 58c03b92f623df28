import { createHash } from 'node:crypto';
import type { EntryDifference, PriceSnapshot } from '@tollgate/catalogue';
import type { VersionEntry } from '../snapshots/snapshot-store.ts';

/** A snapshot without its secrets. */
export const shownSnapshot = ({ version, hash, published_at, catalogue }: PriceSnapshot) => ({
  version,
  hash,
  published_at,
  catalogue: {
    ...catalogue,
    upstreams: catalogue.upstreams.map(({ credentials, ...upstream }) => ({
      ...upstream,
      credentials: credentials.map(({ sealed: _sealed, ...credential }) => ({
        ...credential,
        has_secret: true,
      })),
    })),
  },
});

/** A version as lists show it. */
export const shownVersion = ({ version, hash, publishedAt, actor, reason }: VersionEntry) => ({
  version,
  hash,
  published_at: publishedAt.toISOString(),
  actor,
  reason,
});

/** Differences in which a secret that changed is seen to have changed, and nothing more. */
export const shownDifferences = (differences: readonly EntryDifference[]) =>
  differences.map((entry) => ({
    ...entry,
    fields: entry.section === 'upstreams' ? entry.fields.map(withoutSecrets) : [...entry.fields],
  }));

const withoutSecrets = (field: EntryDifference['fields'][0]): EntryDifference['fields'][0] => ({
  path: field.path,
  ...('from' in field ? { from: hide(field.from) } : {}),
  ...('to' in field ? { to: hide(field.to) } : {}),
});

/** Every sealed text below a value as a short hash of it, so that two that differ can be told apart. */
function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => [
      name,
      name === 'sealed' && typeof part === 'string' ? sealedMark(part) : hide(part),
    ]),
  );
}

const sealedMark = (sealed: string): string =>
  `(sealed ${createHash('sha256').update(sealed).digest('hex').slice(0, 8)})`;
