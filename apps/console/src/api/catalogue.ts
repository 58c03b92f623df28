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
import { ApiError, read } from './result.ts';

export type {
  AccountDiscount,
  Catalogue,
  CommonLimits,
  Credential,
  EntryDifference,
  FieldDifference,
  Group,
  Model,
  Pool,
  Publication,
  PublishedCatalogue as Published,
  Upstream,
  Vendor,
  VersionEntry,
} from './generated/types.gen.ts';
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
 * @param pick what is changed, out of the catalogue
 * @throws ApiError 412 where somebody else has changed the same
 */
export async function publishOn(
  seen: Published,
  pick: (catalogue: Catalogue) => unknown,
  publish: (headers: { readonly 'If-Match': string }) => Promise<Publication>,
): Promise<Publication> {
  const before = JSON.stringify(pick(seen.catalogue));
  for (let { version } = seen; ;) {
    try {
      return await publish({ 'If-Match': String(version) });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error;
      const newest = await read(showCatalogue());
      if (newest.version === version || JSON.stringify(pick(newest.catalogue)) !== before) throw error;
      version = newest.version;
    }
  }
}

export const putLimits = (seen: Published, body: CommonLimits) =>
  publishOn(
    seen,
    ({ limits }) => limits,
    (headers) => read(callPutLimits({ body, headers })),
  );

/** All discounts of an account; none takes them away. */
export const putDiscounts = (seen: Published, accountId: string, discounts: readonly AccountDiscount[]) => {
  const path = { account_id: accountId };
  return publishOn(
    seen,
    (catalogue) => catalogue.discounts.filter((each) => each.account_id === accountId),
    (headers) =>
      read(
        discounts.length === 0
          ? removeDiscounts({ path, headers })
          : callPutDiscounts({ path, headers, body: { discounts: [...discounts] } }),
      ),
  );
};
