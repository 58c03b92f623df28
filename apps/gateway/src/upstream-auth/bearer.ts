import type { AuthOptions, UpstreamAuth } from './auth-scheme.ts';
import { createTokenSource, type Lease } from './token-source.ts';
import { logFailures } from './log-failures.ts';

interface BearerOptions {
  /** That are sent beside the token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What else answers may not tell. */
  readonly secrets?: readonly string[];
}

/** Shows a token that is got, kept and refreshed. */
export function createBearerAuth(
  options: AuthOptions,
  fetch: (signal: AbortSignal) => Promise<Lease<string>>,
  { headers: further = {}, secrets = [] }: BearerOptions = {},
): UpstreamAuth {
  const source = createTokenSource(fetch, logFailures(options));
  let recent: readonly string[] = [];
  let hidden = secrets;
  const withToken = (headers: Record<string, string>, token: string) => {
    // An answer may still come to a request that was sent with the one before.
    if (recent[0] !== token) {
      recent = [token, ...recent.slice(0, 1)];
      hidden = [...recent, ...secrets];
    }
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
    derivedSecrets: () => hidden,
  };
}
