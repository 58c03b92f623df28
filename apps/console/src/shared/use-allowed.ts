import { useQuery } from '@tanstack/react-query';
import { isAllowed, type Permission } from '@tollgate/vocabulary';
import { sessionQuery } from '../api/session.ts';

/** Whether the person who looks is allowed to, so that buttons are shown to those whom the service lets use them. */
export function useAllowed(permission: Permission): boolean {
  const role = useQuery(sessionQuery).data?.role;
  return role !== undefined && isAllowed(role, permission);
}
