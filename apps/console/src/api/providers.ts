import { queryOptions } from '@tanstack/react-query';
import {
  addProvider as callAddProvider,
  listProviderModels as callListProviderModels,
  listProviders,
  testProvider as callTestProvider,
} from './generated/sdk/providers.gen.ts';
import type { AddProviderData, ListProviderModelsData, TestProviderData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { Provider, ProviderModel } from './generated/types.gen.ts';
export type ProviderRequest = AddProviderData['body'];
export type ProviderSettings = ListProviderModelsData['body'];

/** Every provider that is known, with its list prices: they change with a release only. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }) => (await read(listProviders({ signal }))).items,
  staleTime: Infinity,
});

/** What publishing it would do, in words. Once it is published it is there, so a new catalogue asks for nothing. */
export const providerPreviewQuery = (body: ProviderRequest, enabled: boolean) =>
  queryOptions({
    queryKey: ['provider-preview', body],
    queryFn: () => read(callAddProvider({ body: { ...body, dry_run: true } })),
    enabled,
    retry: false,
  });

export const addProvider = (body: ProviderRequest) => read(callAddProvider({ body }));

export const testProvider = (body: TestProviderData['body']) => read(callTestProvider({ body }));

export const listProviderModels = (body: ProviderSettings) => read(callListProviderModels({ body }));
