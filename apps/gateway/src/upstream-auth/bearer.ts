import type { AuthOptions, UpstreamAuth } from './auth-scheme.ts';
import { createTokenSource, type Lease } from './token-source.ts';
import { logFailures } from './log-failures.ts';

/** Shows a token that is got, kept and refreshed. */
export function createBearerAuth(
  options: AuthOptions,
  fetch: (signal: AbortSignal) => Promise<Lease<string>>,
  further: Readonly<Record<string, string>> = {},
): UpstreamAuth {
  const source = createTokenSource(fetch, logFailures(options));
  let shown: readonly string[] = [];
  const withToken = (headers: Record<string, string>, token: string) => {
    // An answer may still come to a request that was sent with the one before.
    if (shown[0] !== token) shown = [token, ...shown.slice(0, 1)];
    return { ...headers, ...further, authorization: `Bearer ${token}` };
  };
  return {
    applyAuth({ headers }) {
      const token = source.get();
      return token instanceof Promise
        ? token.then((value) => withToken(headers, value))
        : withToken(headers, token);
    },
    renew: async ({ status, sent }) =>
      status === 401 && source.renew((sent['authorization'] ?? '').slice('Bearer '.length)),
    derivedSecrets: () => shown,
  };
}
