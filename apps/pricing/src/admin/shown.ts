import { createHash } from 'node:crypto';
import { type EntryDifference, mayHoldSecret, type PriceSnapshot } from '@tollgate/catalogue';
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
      set_headers: shownHeaders(upstream.set_headers),
      credentials: credentials.map(({ sealed: _sealed, ...credential }) => ({
        ...credential,
        has_secret: true,
      })),
    })),
  },
});

/** Headers without what may be a secret: none can be written any more, but old versions may hold one. */
export const shownHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, mayHoldSecret(name) ? hiddenMark(value) : value]),
  );

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

const withoutSecrets = ({ path, ...field }: FieldDifference): FieldDifference => {
  const [, header] = /^\/set_headers\/(.+)$/.exec(path) ?? [];
  const shown = (value: unknown) =>
    header === undefined ? hide(value) : shownHeaders({ [header]: String(value) })[header];
  return {
    path,
    ...('from' in field ? { from: shown(field.from) } : {}),
    ...('to' in field ? { to: shown(field.to) } : {}),
  };
};

type FieldDifference = EntryDifference['fields'][0];

/** Every sealed text below a value as a short hash of it, so that two that differ can be told apart. */
function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => [name, hidePart(name, part)]),
  );
}

function hidePart(name: string, part: unknown): unknown {
  if (name === 'sealed' && typeof part === 'string') return hiddenMark(part);
  return name === 'set_headers' ? shownHeaders(part as Record<string, string>) : hide(part);
}

const hiddenMark = (text: string): string =>
  `(sealed ${createHash('sha256').update(text).digest('hex').slice(0, 8)})`;
