import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { KEY_MANAGERS } from '../app/key-managers.ts';

/** Whether the person who looks may make and change keys, not only read of them. */
export function useManagesKeys(): boolean {
  const role = useQuery(sessionQuery).data?.role;
  return KEY_MANAGERS.some((each) => each === role);
}
