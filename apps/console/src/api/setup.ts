import { queryOptions } from '@tanstack/react-query';
import { getSetup, setUp as callSetUp } from './generated/sdk/setup.gen.ts';
import { departToProvider as callDepartToProvider, getProvider } from './generated/sdk/sign-in.gen.ts';
import type { DepartToProviderData, SetUpData } from './generated/types.gen.ts';
import { read } from './result.ts';
import { keepSignedIn } from './session.ts';

/** Whether nobody owns this deployment yet. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => read(getSetup({ signal })),
  staleTime: Infinity,
});

/** The provider that people may sign in with, where there is one. */
export const providerQuery = queryOptions({
  queryKey: ['provider'],
  queryFn: ({ signal }) => read(getProvider({ signal })),
  staleTime: Infinity,
});

/** Leaves the console for the provider, which sends the browser back to it. */
export async function departToProvider(body: DepartToProviderData['body']): Promise<void> {
  const { url } = await read(callDepartToProvider({ body }));
  window.location.assign(url);
}

export const setUp = (body: SetUpData['body']) => keepSignedIn(read(callSetUp({ body })));
