import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, useMatches } from '@tanstack/react-router';
import type { Permission } from '@tollgate/vocabulary';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionQuery } from '../api/session.ts';
import { loadWords } from '../i18n/i18n.ts';
import { Broken } from '../shell/Broken.tsx';
import { NoSuchPage } from '../shell/NoSuchPage.tsx';
import type { Page, PageWords, Place, PublicPage } from './page.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page's catalogue: it is loaded before the page, and its `title` stands in the browser's tab. */
    words?: PageWords;
    /** Catalogues that it shares with other pages. */
    sharedWords?: readonly PageWords[];
    path?: string;
    /** What somebody needs to visit it; without it everybody may. */
    permission?: Permission;
    section?: Place['section'];
  }
}

export const rootRoute = createRootRouteWithContext<{
  queryClient: QueryClient;
  /** For the navigation, in its order. */
  pages: readonly (Page | PublicPage)[];
}>()({
  beforeLoad: async ({ matches }) => {
    const words = matches.flatMap(({ staticData: { words, sharedWords = [] } }) => [
      ...(words === undefined ? [] : [words]),
      ...sharedWords,
    ]);
    try {
      if (words.length > 0) await loadWords(words);
      return { missing: null };
    } catch (error) {
      // It is shown in place of the page. Thrown, it would reach no boundary of ours: the route's begins again while it is
      // being caught.
      return { missing: toError(error) };
    }
  },
  component: Titled,
  errorComponent: Broken,
});

/** The frame with the navigation, for people who are signed in and for those who are not. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  loader: ({ context }) => context.queryClient.ensureQueryData(sessionQuery),
  errorComponent: Broken,
  notFoundComponent: NoSuchPage,
}).lazy(() => import('../shell/Shell.tsx').then(({ shell }) => shell));

/** Every path that no page has. */
export const noSuchPageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NoSuchPage,
});

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function Titled() {
  const { t } = useTranslation();
  const { missing } = rootRoute.useRouteContext();
  const words = useMatches().findLast(({ staticData }) => staticData.words)?.staticData.words;
  const title = words === undefined ? undefined : t('title', { ns: words });
  useEffect(() => {
    document.title = title === undefined ? 'Tollgate' : `${title} · Tollgate`;
  }, [title]);
  return missing ? <Broken error={missing} /> : <Outlet />;
}
