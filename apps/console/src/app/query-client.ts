import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/result.ts';
import { sessionQuery } from '../api/session.ts';

/** What the service refused stays refused; what did not answer is tried again twice. */
const mayRetry = (failures: number, error: Error): boolean =>
  failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500);

/** @param onSignedOut called when the service says that the session is over. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (!(error instanceof ApiError) || error.status !== 401) return;
        client.setQueryData(sessionQuery.queryKey, null);
        onSignedOut();
      },
    }),
    defaultOptions: { queries: { retry: mayRetry, staleTime: 15_000 } },
  });
  return client;
}
