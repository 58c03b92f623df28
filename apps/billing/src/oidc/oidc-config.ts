import { ConfigError, HOST_NAME, nameList, originUrl, splitAtCommas } from '@tollgate/platform';
import { z } from 'zod';

/** The settings of billing that are about signing in with a provider of one's own. */
export const oidcConfigShape = {
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional()
    .describe(
      "The provider's issuer, as its tokens name it to the last slash; without it people have passwords only",
    ),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('Given by the provider; required with `OIDC_ISSUER`'),
  OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe('Given by the provider; required with `OIDC_ISSUER`'),
  OIDC_NAME: z.string().trim().min(1).max(60).default('single sign-on').describe('What the button says'),
  OIDC_ALLOWED_DOMAINS: nameList(HOST_NAME, 'domains of e-mail addresses').describe(
    'Domains of e-mail addresses that may sign in, comma-separated; empty is every one that the provider vouches for',
  ),
  OIDC_JOIN_ACCOUNT: z
    .uuid()
    .optional()
    .describe(
      'Id of the account that people join as members who are not here yet; without it they need an invitation',
    ),
  OIDC_SECOND_FACTOR: z
    .string()
    .default('mfa')
    .transform(splitAtCommas)
    .describe(
      'What the provider says in `amr` or `acr` of a sign-in with a second factor, comma-separated; `*` is every sign-in, `none` no one',
    ),
  PUBLIC_URL: originUrl
    .optional()
    .describe(
      'Where browsers find the console, without a path. Passkeys are bound to it (`https://`, or `http://localhost`), and `OIDC_ISSUER` sends people back there. With `https://` answers have browsers ask for nothing else from then on (HSTS)',
    ),
} as const;

/** A provider, and who may come from it. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  /** Lower case; none is every one. */
  readonly allowedDomains: readonly string[];
  readonly joinAccount: string | undefined;
  readonly publicUrl: string;
  /** What of `amr` or `acr` counts as a second factor. */
  readonly secondFactor: readonly string[];
}

type OidcConfig = z.infer<z.ZodObject<typeof oidcConfigShape>>;

/** @returns undefined where no provider is set. @throws ConfigError for one that is set by half. */
export function oidcSettings(config: OidcConfig): OidcSettings | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, PUBLIC_URL } = config;
  if (OIDC_ISSUER === undefined) return undefined;
  if (OIDC_CLIENT_ID === undefined || OIDC_CLIENT_SECRET === undefined || PUBLIC_URL === undefined)
    throw new ConfigError('OIDC_ISSUER needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and PUBLIC_URL beside it.');
  return {
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    name: config.OIDC_NAME,
    allowedDomains: config.OIDC_ALLOWED_DOMAINS,
    joinAccount: config.OIDC_JOIN_ACCOUNT,
    publicUrl: PUBLIC_URL,
    secondFactor: config.OIDC_SECOND_FACTOR,
  };
}
