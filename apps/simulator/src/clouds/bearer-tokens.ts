import { randomBytes } from 'node:crypto';
import { type CloudState, ttlSeconds } from './faults.ts';

interface IssuedToken {
  readonly cloud: 'google' | 'azure';
  /** Whose it is, as scripts and bills name it. */
  readonly account: string;
  readonly scope: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Access tokens that were given out; nobody else's is taken. */
export interface BearerTokens {
  issue(token: Omit<IssuedToken, 'expiresAt'>): { access_token: string; expires_in: number };
  /** Undefined where there is no token, or none that holds. */
  find(authorization: unknown, cloud: IssuedToken['cloud']): IssuedToken | undefined;
  clear(): void;
}

export function createBearerTokens(state: CloudState): BearerTokens {
  const tokens = new Map<string, IssuedToken>();
  return {
    issue(token) {
      const value = `${token.cloud}.${randomBytes(24).toString('base64url')}`;
      const expires_in = ttlSeconds(state);
      tokens.set(value, { ...token, expiresAt: state.now() + expires_in * 1_000 });
      state.issued[token.cloud] += 1;
      return { access_token: value, expires_in };
    },
    find(authorization, cloud) {
      const value = typeof authorization === 'string' ? /^Bearer (\S+)$/.exec(authorization)?.[1] : undefined;
      const token = value === undefined ? undefined : tokens.get(value);
      if (!token || token.cloud !== cloud || token.expiresAt <= state.now()) return undefined;
      return state.takesRefusal() ? undefined : token;
    },
    clear: () => tokens.clear(),
  };
}
