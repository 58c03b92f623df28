import type { AuthScheme } from './auth-scheme.ts';
import { createStaticAuth } from './static.ts';

/** Every scheme that is spoken. */
const SCHEMES = { static: createStaticAuth } satisfies Record<string, AuthScheme>;

/** How an upstream is shown one of its credentials. */
export const createUpstreamAuth: AuthScheme = (options) => SCHEMES.static(options);
