import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { sectionsFor } from './navigation.ts';

/** What the person who looks may visit. */
export function useSections() {
  const { pages } = useRouter().options.context;
  const session = useQuery(sessionQuery).data ?? null;
  return { session, sections: sectionsFor(session?.role ?? null, pages) };
}
