import '@mantine/core/styles.layer.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/result.ts';
import { sessionQuery } from './api/session.ts';
import { makeRouter } from './app/router.ts';
import { cssVariables, theme, themeKeeper } from './app/theme.ts';
import { loadRefusalsWhenNeeded, startWords } from './i18n/i18n.ts';
import { askForProofs } from './shared/proof.ts';
import { forgetReloadsOnceWell, noteMissingParts } from './shared/missing-parts.ts';
import { focusFaults } from './shared/take-focus.ts';
import { ToastRegion } from './shell/ToastRegion.tsx';
import { ProofPlace } from './shell/ProofPlace.tsx';

/** What the service refused stays refused; what did not answer is tried again twice. */
const mayRetry = (failures: number, error: Error): boolean =>
  failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500);

/** What a service did not answer, for it is restarting, is asked again by itself while somebody looks. */
const ASK_AGAIN_MS = 5_000;

/** @param onSignedOut called when the service says that the session is over. */
function createQueryClient(onSignedOut: () => void): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (!(error instanceof ApiError) || error.status !== 401) return;
        client.setQueryData(sessionQuery.queryKey, null);
        onSignedOut();
      },
    }),
    defaultOptions: {
      queries: {
        retry: mayRetry,
        staleTime: 15_000,
        refetchInterval: ({ state: { error } }) =>
          error !== null && mayRetry(0, error) ? ASK_AGAIN_MS : false,
      },
    },
  });
  return client;
}

const queryClient = createQueryClient(() => void router.invalidate());
const router = makeRouter(queryClient);

noteMissingParts();
forgetReloadsOnceWell();
askForProofs();
focusFaults();
loadRefusalsWhenNeeded();
await startWords();

const place = document.getElementById('root');
if (!place) throw new Error('the page has no place for the console');
createRoot(place).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={themeKeeper}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <ProofPlace />
        <ToastRegion />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
