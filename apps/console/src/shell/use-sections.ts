import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import type { Page, PublicPage } from '../app/page.ts';
import { PAGES } from '../app/pages.ts';
import { sectionsFor } from './navigation.ts';

const DESCRIBED = PAGES.map(({ options }) => options.staticData as Page | PublicPage);

/** What the person who looks may visit. */
export function useSections() {
  const session = useQuery(sessionQuery).data ?? null;
  return { session, sections: sectionsFor(session?.role ?? null, DESCRIBED) };
}
