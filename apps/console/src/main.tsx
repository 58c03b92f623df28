import '@mantine/core/styles.layer.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { themeKeeper } from './app/color-scheme.ts';
import { createQueryClient } from './app/query-client.ts';
import { makeRouter } from './app/router.ts';
import { cssVariables, theme } from './app/theme.ts';
import { startWords } from './i18n/i18n.ts';
import { askForProofs } from './shared/proof.ts';
import { ToastRegion } from './shell/ToastRegion.tsx';
import { ProofPlace } from './shell/ProofPlace.tsx';

const queryClient = createQueryClient(() => void router.invalidate());
const router = makeRouter(queryClient);

askForProofs();
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
