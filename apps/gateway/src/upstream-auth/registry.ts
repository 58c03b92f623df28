import type { AuthOptions, AuthScheme, UpstreamAuth } from './auth-scheme.ts';
import { createAwsAuth } from './aws.ts';
import { createAzureAuth } from './azure.ts';
import { createGoogleAuth } from './google.ts';
import { createStaticAuth } from './static.ts';

/** Every scheme that is spoken. */
const SCHEMES = {
  static: createStaticAuth,
  aws: createAwsAuth,
  google: createGoogleAuth,
  azure: createAzureAuth,
} satisfies Record<string, AuthScheme>;

/** How an upstream is shown one of its credentials. */
export const createUpstreamAuth: AuthScheme = (options) =>
  SCHEMES[options.upstream.auth?.kind ?? 'static'](options);

/** Makes the proofs of snapshot after snapshot: one that is asked for again keeps the token that it has. */
export interface AuthKeeper {
  find(options: Pick<AuthOptions, 'upstream' | 'secret'>): UpstreamAuth;
  /** Forgets those that were not asked for since it was last called. */
  prune(): void;
}

export function createAuthKeeper(common: Pick<AuthOptions, 'ambientHosts' | 'logger'>): AuthKeeper {
  let before = new Map<string, UpstreamAuth>();
  let kept = new Map<string, UpstreamAuth>();
  return {
    find({ upstream, secret }) {
      const { name, base_url, model_lists, auth, allow_private_addresses } = upstream;
      const key = JSON.stringify([name, base_url, model_lists, auth, allow_private_addresses, secret]);
      const found = kept.get(key) ?? before.get(key) ?? createUpstreamAuth({ upstream, secret, ...common });
      kept.set(key, found);
      return found;
    },
    prune() {
      before = kept;
      kept = new Map();
    },
  };
}
