import { diffEntries, type Entries } from '@tollgate/catalogue/entry-differences';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  putDiscounts as callPutDiscounts,
  putLimits as callPutLimits,
  removeDiscounts,
  showCatalogue,
} from './generated/sdk/catalogue.gen.ts';
import { compareVersions, listVersions } from './generated/sdk/versions.gen.ts';
import type {
  AccountDiscount,
  Catalogue,
  CommonLimits,
  Model,
  Pool,
  Publication,
  PublishedCatalogue as Published,
} from './generated/types.gen.ts';
import { ChangedMeanwhile, listPublishersSince } from './changed-meanwhile.ts';
import { ApiError, read } from './result.ts';

export type {
  AccountDiscount,
  Catalogue,
  CommonLimits,
  Credential,
  Group,
  Model,
  Pool,
  Publication,
  PublishedCatalogue as Published,
  Upstream,
  Vendor,
  VersionEntry,
} from './generated/types.gen.ts';
export type { EntryDifference, FieldDifference } from '@tollgate/catalogue/entry-differences';
export type RateLimit = Model['limits'];
export type Tier = Model['tiers'][number];
/** Micro-USD per million tokens by kind of token. */
export type Prices = Model['prices'];
export type PoolMember = Pool['members'][number];

export const CATALOGUE = ['catalogue'] as const;

/** What holds now. */
export const catalogueQuery = queryOptions({
  queryKey: [...CATALOGUE, 'live'],
  queryFn: ({ signal }) => read(showCatalogue({ signal })),
});

/** Every version, the newest first. */
export const versionsQuery = infiniteQueryOptions({
  queryKey: [...CATALOGUE, 'versions'],
  queryFn: ({ pageParam, signal }) =>
    read(
      listVersions({ query: { limit: 20, ...(pageParam === null ? {} : { before: pageParam }) }, signal }),
    ),
  initialPageParam: null as number | null,
  getNextPageParam: ({ next }) => next,
});

/** What one version says otherwise than another; neither ever changes. */
export const differencesQuery = (from: number, to: number) =>
  queryOptions({
    queryKey: ['differences', from, to],
    queryFn: ({ signal }) => read(compareVersions({ path: { a: String(from), b: String(to) }, signal })),
    staleTime: Infinity,
  });

/**
 * Publishes a change on top of what was looked at. Where somebody else has published meanwhile, and left alone what is
 * changed here, it is published on top of that.
 *
 * @param pick what is changed, out of a section of the catalogue
 * @throws ChangedMeanwhile where somebody else has changed the same
 */
export async function publishOn(
  seen: Published,
  section: 'limits' | 'discounts' | 'upstreams' | 'pools',
  pick: (catalogue: Catalogue) => Entries,
  publish: (headers: { readonly 'If-Match': string }) => Promise<Publication>,
): Promise<Publication> {
  const before = pick(seen.catalogue);
  for (let { version } = seen; ;) {
    try {
      return await publish({ 'If-Match': String(version) });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error;
      const newest = await read(showCatalogue());
      if (newest.version === version) throw error;
      const differences = diffEntries(section, before, pick(newest.catalogue));
      if (differences.length > 0)
        throw new ChangedMeanwhile(differences, await listPublishersSince(seen.version), newest);
      version = newest.version;
    }
  }
}

export const putLimits = (seen: Published, body: CommonLimits) =>
  publishOn(
    seen,
    'limits',
    ({ limits }) => new Map(Object.entries(limits)),
    (headers) => read(callPutLimits({ body, headers })),
  );

/** All discounts of an account; none takes them away. */
export const putDiscounts = (seen: Published, accountId: string, discounts: readonly AccountDiscount[]) => {
  const path = { account_id: accountId };
  return publishOn(
    seen,
    'discounts',
    (catalogue) => {
      const own = catalogue.discounts.flatMap(({ account_id, ...discount }) =>
        account_id === accountId ? [discount] : [],
      );
      return new Map(own.length === 0 ? [] : [[accountId, { discounts: own }]]);
    },
    (headers) =>
      read(
        discounts.length === 0
          ? removeDiscounts({ path, headers })
          : callPutDiscounts({ path, headers, body: { discounts: [...discounts] } }),
      ),
  );
};
