import type { AuthOptions, UpstreamAuthError } from './auth-scheme.ts';

/** Says in the log what gave no token. */
export const logFailures =
  ({ upstream, logger }: AuthOptions) =>
  (error: UpstreamAuthError): void =>
    logger.warn(
      {
        event: 'upstream_token_failed',
        upstream: upstream.name,
        kind: upstream.auth?.kind,
        reason: error.message,
      },
      'no token could be had for an upstream',
    );
