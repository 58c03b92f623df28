import { queryOptions } from '@tanstack/react-query';
import { listPrices, showPriceHistory } from './generated/sdk/prices.gen.ts';
import type { PricedModel } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { PriceBook, PricedModel, PricePoint } from './generated/types.gen.ts';
/** Micro-USD per million tokens by kind of token. */
export type Prices = PricedModel['prices'];

/** The prices of now. */
export const pricesQuery = queryOptions({
  queryKey: ['prices', 'newest'],
  queryFn: ({ signal }) => read(listPrices({ signal })),
  staleTime: 60_000,
});

/** The prices of a version, which never change. */
export const pricesAtQuery = (version: number) =>
  queryOptions({
    queryKey: ['prices', version],
    queryFn: ({ signal }) => read(listPrices({ query: { version: String(version) }, signal })),
    staleTime: Infinity,
  });

export const priceHistoryQuery = (model: string, group: string) =>
  queryOptions({
    queryKey: ['prices', 'history', model, group],
    queryFn: ({ signal }) => read(showPriceHistory({ query: { model, group }, signal })),
    staleTime: 60_000,
  });
