import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  putDiscounts as callPutDiscounts,
  putLimits as callPutLimits,
  removeDiscounts,
  showCatalogue,
} from './generated/sdk/catalogue.gen.ts';
import { compareVersions, listVersions } from './generated/sdk/versions.gen.ts';
import type { AccountDiscount, CommonLimits, Model, Pool } from './generated/types.gen.ts';
import { read } from './result.ts';

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

/** The version that was looked at: a change on top of another one is refused with 412. */
export const toIfMatch = (version: number) => ({ 'If-Match': String(version) });

export const putLimits = (version: number, body: CommonLimits) =>
  read(callPutLimits({ body, headers: toIfMatch(version) }));

/** All discounts of an account; none takes them away. */
export const putDiscounts = (version: number, accountId: string, discounts: readonly AccountDiscount[]) => {
  const path = { account_id: accountId };
  const headers = toIfMatch(version);
  return read(
    discounts.length === 0
      ? removeDiscounts({ path, headers })
      : callPutDiscounts({ path, headers, body: { discounts: [...discounts] } }),
  );
};
