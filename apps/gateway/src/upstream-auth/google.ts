import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AMBIENT, type GoogleSecret, googleSecretSchema } from '@tollgate/catalogue';
import { parseJson } from '@tollgate/protocols';
import { requireAmbientHost, requireAmbientUpstream } from './ambient.ts';
import { type AuthOptions, type AuthScheme, UpstreamAuthError } from './auth-scheme.ts';
import { createBearerAuth } from './bearer.ts';
import { askForToken, readToken, refusal, type TokenHost } from './token-client.ts';
import type { Lease } from './token-source.ts';

const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const METADATA = '/computeMetadata/v1/instance/service-accounts/default/token';
const JWT_LASTS_S = 3_600;
/** What others' clocks may differ before a signature is dated by theirs. */
const MAX_SKEW_MS = 30_000;
const WHOSE = 'Google';

type ServiceAccount = Extract<GoogleSecret, { type: 'service_account' }>;
type Federation = Extract<GoogleSecret, { type: 'external_account' }>;

interface Asked {
  readonly scope: string;
  readonly host: TokenHost;
  readonly signal: AbortSignal;
}

/** A token of Google: for a service account, a federation, or for the identity that Google gives the gateway. */
export const createGoogleAuth: AuthScheme = (options) => {
  const { upstream, secret } = options;
  const auth = upstream.auth?.kind === 'google' ? upstream.auth : undefined;
  const parsed = secret === AMBIENT ? undefined : googleSecretSchema.safeParse(parseJson(secret ?? ''));
  const fetch = async (signal: AbortSignal): Promise<Lease<string>> => {
    const host = upstream.allow_private_addresses ? 'private' : 'public';
    const asked: Asked = { scope: auth?.scope ?? CLOUD_PLATFORM, host, signal };
    if (parsed === undefined) return askAsGateway(asked, options);
    if (!parsed.success) {
      throw new UpstreamAuthError('The secret is the JSON of no service account and no federation.', true);
    }
    return parsed.data.type === 'service_account'
      ? askAsServiceAccount(parsed.data, asked)
      : askAsFederation(parsed.data, asked, options);
  };
  const quota = auth?.quota_project;
  return createBearerAuth(options, fetch, {
    headers: quota === undefined ? {} : { 'x-goog-user-project': quota },
    secrets: findProjects(options),
  });
};

/** Google's errors name the project, which is ours. */
const findProjects = ({ upstream: { base_url, paths } }: AuthOptions): string[] => [
  ...new Set(JSON.stringify([base_url, paths]).match(/projects\/[^/"?]+/g)),
];

/** Signed by our clock; once more by Google's, where that says that ours is wrong. */
async function askAsServiceAccount(
  account: ServiceAccount,
  { scope, host, signal }: Asked,
): Promise<Lease<string>> {
  const ask = (now: number) =>
    askForToken(account.token_uri, {
      host,
      signal,
      body: new URLSearchParams({ grant_type: JWT_GRANT, assertion: signJwt(account, scope, now) }),
    });
  const now = Date.now();
  const answer = await ask(now);
  const { status, date = now } = answer;
  const isLate = status === 400 && Math.abs(date - now) > MAX_SKEW_MS;
  return readToken(WHOSE, isLate ? await ask(date) : answer);
}

function signJwt(account: ServiceAccount, scope: string, now: number): string {
  const iat = Math.floor(now / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', kid: account.private_key_id };
  const { client_email: iss, token_uri: aud } = account;
  const parts = [header, { iss, scope, aud, iat, exp: iat + JWT_LASTS_S }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const text = parts.join('.');
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(account.private_key, 'base64url')}`;
  } catch {
    // What crypto says of a key may quote it.
    throw new UpstreamAuthError('The private_key of the service account is no key.', true);
  }
}

async function askAsFederation(
  {
    audience,
    subject_token_type,
    token_url,
    service_account_impersonation_url,
    credential_source,
  }: Federation,
  asked: Asked,
  options: AuthOptions,
): Promise<Lease<string>> {
  const { scope, host, signal } = asked;
  // A file of the gateway is nothing that the catalogue may have sent anywhere, nor is what it proves.
  if ('file' in credential_source) {
    requireAmbientUpstream(options);
    for (const url of [token_url, service_account_impersonation_url ?? token_url])
      requireAmbientHost(url, options);
  }
  const subject_token = await readProof(credential_source, asked);
  const body = new URLSearchParams({
    grant_type: EXCHANGE_GRANT,
    requested_token_type: ACCESS_TOKEN,
    audience,
    scope: service_account_impersonation_url === undefined ? scope : CLOUD_PLATFORM,
    subject_token,
    subject_token_type,
  });
  const token = readToken(WHOSE, await askForToken(token_url, { host, signal, body }));
  if (service_account_impersonation_url === undefined) return token;
  const answer = await askForToken(service_account_impersonation_url, {
    host,
    signal,
    headers: { authorization: `Bearer ${token.value}`, 'content-type': 'application/json' },
    body: JSON.stringify({ scope: [scope] }),
  });
  const { accessToken, expireTime } = answer.json;
  const lastsMs = Date.parse(String(expireTime)) - (answer.date ?? Date.now());
  if (answer.status < 300 && typeof accessToken === 'string' && lastsMs > 0)
    return { value: accessToken, lastsMs };
  throw refusal('Google, for the service account of the federation,', answer.status, undefined);
}

async function readProof(source: Federation['credential_source'], { host, signal }: Asked): Promise<string> {
  const text =
    'file' in source
      ? await readFile(String(source.file), 'utf8')
      : (await askForToken(source.url, { host, method: 'GET', headers: source.headers, signal })).text;
  const field = source.format?.type === 'json' ? source.format.subject_token_field_name : undefined;
  const parsed: unknown = field === undefined ? text.trim() : parseJson(text);
  const proof = field === undefined ? parsed : (parsed as Record<string, unknown> | undefined)?.[field];
  if (typeof proof !== 'string' || proof === '')
    throw new UpstreamAuthError('The credential_source of the federation gives no proof.', true);
  return proof;
}

/** What runs on Google's machines has a token of the service account of its machine, or of its workload. */
async function askAsGateway({ signal }: Asked, options: AuthOptions): Promise<Lease<string>> {
  requireAmbientUpstream(options);
  const host = process.env['GCE_METADATA_HOST'] ?? 'metadata.google.internal';
  const headers = { 'metadata-flavor': 'Google' };
  const answer = await askForToken(`http://${host}${METADATA}`, {
    host: 'metadata',
    method: 'GET',
    headers,
    signal,
  });
  return readToken("Google's metadata server", answer);
}
