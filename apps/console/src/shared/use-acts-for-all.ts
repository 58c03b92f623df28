import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';

/** Whether the person who looks may change accounts, not only keep their books. */
export function useActsForAll(): boolean {
  const role = useQuery(sessionQuery).data?.role;
  return role === 'owner' || role === 'admin';
}
