import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  pricingCatalogueControllerNewest,
  pricingCatalogueControllerPutDiscounts,
  pricingCatalogueControllerPutLimits,
  pricingCatalogueControllerRemoveDiscounts,
} from './generated/sdk/pricing-catalogue.gen.ts';
import {
  pricingVersionsControllerDiff,
  pricingVersionsControllerList,
} from './generated/sdk/pricing-versions.gen.ts';
import { bodyOf } from './result.ts';

export interface RateLimit {
  readonly requests_per_minute?: number | null;
  readonly tokens_per_minute?: number | null;
  readonly concurrent_requests?: number | null;
}

/** Micro-USD per million tokens by kind of token. */
export type Prices = Readonly<Record<string, number>>;

export interface Tier {
  readonly above_input_tokens: number;
  readonly prices: Prices;
}

export interface Vendor {
  readonly name: string;
  readonly description: string;
  readonly icon: string;
}

export interface Model {
  readonly name: string;
  readonly vendor: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly prices: Prices;
  readonly tiers: readonly Tier[];
  /** Micro-USD. */
  readonly request_price: number;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly limits: RateLimit;
  readonly features?: Readonly<Record<string, 'unpriced' | 'free'>>;
  /** What it takes of its format in place of what its name says. */
  readonly dialect?: Readonly<Record<string, unknown>>;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  /** A decimal such as "0.85". */
  readonly ratio: string;
  readonly models: readonly string[];
  readonly limits: RateLimit;
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly required_tags: readonly string[];
}

/** As it is shown: its secret is not. */
export interface Credential {
  readonly name: string;
  readonly weight: number;
  readonly limits: RateLimit;
  readonly has_secret: boolean;
}

export interface Upstream {
  readonly name: string;
  readonly base_url: string;
  readonly disabled?: boolean;
  readonly protocols: readonly string[];
  readonly credentials: readonly Credential[];
  readonly tags: readonly string[];
  readonly allow_private_addresses: boolean;
  readonly limits: RateLimit;
  readonly probe_interval_s: number | null;
  readonly connect_timeout_ms: number;
  readonly first_byte_timeout_ms: number;
  readonly idle_timeout_ms: number;
  readonly total_timeout_ms: number;
  readonly cost_ratio: string | null;
}

export interface PoolMember {
  readonly upstream: string;
  readonly priority: number;
  readonly weight: number;
  readonly model_map: Readonly<Record<string, string>>;
  readonly cost_ratio: string | null;
}

export interface Pool {
  readonly name: string;
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly members: readonly PoolMember[];
  readonly strategy: string;
  readonly attempts: number;
  readonly retry_percent: number;
  readonly hedge: boolean;
}

export interface AccountDiscount {
  readonly models: readonly string[];
  readonly ratio: string;
}

export interface CommonLimits {
  readonly client: RateLimit;
  readonly key: RateLimit;
  readonly route: Readonly<Record<string, RateLimit>>;
}

export interface Catalogue {
  readonly vendors: readonly Vendor[];
  readonly models: readonly Model[];
  readonly groups: readonly Group[];
  readonly upstreams: readonly Upstream[];
  readonly pools: readonly Pool[];
  readonly discounts: readonly (AccountDiscount & { readonly account_id: string })[];
  readonly auto_groups: readonly string[];
  readonly limits: CommonLimits;
}

export interface Published {
  readonly version: number;
  readonly hash: string;
  readonly published_at: string;
  readonly catalogue: Catalogue;
}

/** A version without what it says. */
export interface VersionEntry {
  readonly version: number;
  readonly hash: string;
  readonly published_at: string;
  readonly actor: string;
  readonly reason: string;
}

export interface FieldDifference {
  /** A JSON Pointer into the entry; the empty one is the whole entry. */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export interface EntryDifference {
  readonly section: string;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly fields: readonly FieldDifference[];
}

export const CATALOGUE = ['catalogue'] as const;

/** What holds now. */
export const catalogueQuery = queryOptions({
  queryKey: [...CATALOGUE, 'live'],
  queryFn: ({ signal }) => bodyOf<Published>(pricingCatalogueControllerNewest({ signal })),
});

interface VersionPage {
  readonly items: readonly VersionEntry[];
  readonly next: number | null;
}

/** Every version, the newest first. */
export const versionsQuery = infiniteQueryOptions({
  queryKey: [...CATALOGUE, 'versions'],
  queryFn: ({ pageParam, signal }) =>
    bodyOf<VersionPage>(
      pricingVersionsControllerList({
        query: { limit: 20, ...(pageParam === null ? {} : { before: pageParam }) },
        signal,
      }),
    ),
  initialPageParam: null as number | null,
  getNextPageParam: ({ next }) => next,
});

/** What one version says otherwise than another; neither ever changes. */
export const differencesQuery = (from: number, to: number) =>
  queryOptions({
    queryKey: ['differences', from, to],
    queryFn: ({ signal }) =>
      bodyOf<{ readonly differences: readonly EntryDifference[] }>(
        pricingVersionsControllerDiff({ path: { a: String(from), b: String(to) }, signal }),
      ),
    staleTime: Infinity,
  });

export interface Publication {
  readonly version: number;
  readonly changed: boolean;
}

/** The version that was looked at: a change on top of another one is refused with 412. */
export const onTopOf = (version: number) => ({ 'if-match': String(version) });

export const putLimits = (version: number, limits: CommonLimits): Promise<Publication> =>
  bodyOf(pricingCatalogueControllerPutLimits({ body: limits as LimitsBody, headers: onTopOf(version) }));
type LimitsBody = NonNullable<Parameters<typeof pricingCatalogueControllerPutLimits>[0]>['body'];

/** All discounts of an account; none takes them away. */
export const putDiscounts = (
  version: number,
  accountId: string,
  discounts: readonly AccountDiscount[],
): Promise<Publication> => {
  const path = { account_id: accountId };
  const headers = onTopOf(version);
  return bodyOf(
    discounts.length === 0
      ? pricingCatalogueControllerRemoveDiscounts({ path, headers })
      : pricingCatalogueControllerPutDiscounts({
          ...{ path, headers },
          body: { discounts: discounts.map(({ models, ratio }) => ({ models: [...models], ratio })) },
        }),
  );
};
