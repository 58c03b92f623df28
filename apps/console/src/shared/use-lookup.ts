import {
  type DefaultError,
  type QueryKey,
  useQuery,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, useId } from 'react';

interface FailedLookup {
  readonly error: Error;
  readonly retry: () => void;
}

const failed = new Map<string, FailedLookup>();
let shown: readonly FailedLookup[] = [];
const listeners = new Set<() => void>();
const tell = (): void => {
  shown = [...failed.values()];
  listeners.forEach((listener) => listener());
};

/** What parts of what is on the screen could not be loaded, for the places that say so. */
export const failedLookups = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  read: (): readonly FailedLookup[] => shown,
};

/** As long as there is an error, the page and the dialog that is open say that a part of them could not be loaded. */
export function useFailureTold(error: Error | null, refetch: () => unknown): void {
  const id = useId();
  useEffect(() => {
    if (!error) return undefined;
    failed.set(id, { error, retry: () => void refetch() });
    tell();
    return () => {
      failed.delete(id);
      tell();
    };
  }, [id, error, refetch]);
}

/**
 * What is asked for beside that which a page is about: names, choices, a second opinion. Where it cannot be loaded, nothing
 * that reads it says so, and so it is said once for all of them (FailedLookups). `useQuery` is for whoever shows its error.
 */
export function useLookup<F, T = F, K extends QueryKey = QueryKey>(
  options: UseQueryOptions<F, DefaultError, T, K>,
): UseQueryResult<T> {
  const result = useQuery(options);
  useFailureTold(result.data === undefined ? result.error : null, result.refetch);
  return result;
}
