import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { AMBIENT, type AwsSecret, awsSecretSchema } from '@tollgate/catalogue';
import { parseJson } from '@tollgate/protocols';
import { findOwn } from '@tollgate/vocabulary';
import { requireAmbientUpstream } from './ambient.ts';
import {
  type AuthOptions,
  type AuthRefusal,
  type AuthScheme,
  type UnsignedRequest,
  UpstreamAuthError,
} from './auth-scheme.ts';
import { logFailures } from './log-failures.ts';
import { createTokenSource, type Lease, TOKEN_TIMEOUT_MS } from './token-source.ts';

/** As the AWS SDK names them. */
interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

type AwsAuth = Extract<NonNullable<AuthOptions['upstream']['auth']>, { kind: 'aws' }>;

/** Keys that do not say when they end. */
const LONG_TERM_MS = 24 * 3_600_000;
/** AWS takes signatures that are five minutes old or to come. */
const MAX_SKEW_MS = 240_000;
const SESSION_NAME = 'tollgate';

/** A signature of AWS, by an access key, a role that it may assume, or the keys that AWS lends the gateway. */
export const createAwsAuth: AuthScheme = (options) => {
  const { upstream } = options;
  const auth: AwsAuth = upstream.auth?.kind === 'aws' ? upstream.auth : { kind: 'aws', region: 'us-east-1' };
  const prepare = options.secret === AMBIENT || auth.role_arn !== undefined ? loadProviders : undefined;
  // Not by the first request, whose caller would wait for it and everybody else behind it. A failure is that request's.
  prepare?.().catch(() => {});
  const source = createTokenSource(
    () => findKeys(auth, options),
    logFailures(options),
    prepare && { prepare },
  );
  let skewMs = 0;
  let recent: readonly Keys[] = [];
  let secrets: readonly string[] = [];

  async function sign(request: UnsignedRequest): Promise<Record<string, string>> {
    const keys = await source.get();
    if (recent[0] !== keys) {
      // An answer may still come to a request that was signed with those before.
      recent = [keys, ...recent.slice(0, 1)];
      secrets = recent.flatMap(({ secretAccessKey, sessionToken = '' }) => [secretAccessKey, sessionToken]);
    }
    return signAwsRequest(request, keys, auth, new Date(Date.now() + skewMs));
  }

  /** A signature of the wrong time is made again by AWS's clock; else the keys may have ended. */
  async function renew({ status, headers, sent }: AuthRefusal): Promise<boolean> {
    if (status !== 401 && status !== 403) return false;
    const date = Date.parse(String(headers['date'] ?? ''));
    const off = Number.isNaN(date) ? 0 : date - (Date.now() + skewMs);
    if (Math.abs(off) > MAX_SKEW_MS) {
      skewMs += off;
      return true;
    }
    const used = recent.find(({ accessKeyId }) => sent['authorization']?.includes(`=${accessKeyId}/`));
    // Long-term keys are what they are.
    return used?.sessionToken !== undefined && source.renew(used);
  }

  return {
    applyAuth: sign,
    renew,
    derivedSecrets: () => secrets,
  };
};

const loadProviders = () => import('@aws-sdk/credential-providers');

async function findKeys(auth: AwsAuth, options: AuthOptions): Promise<Lease<Keys>> {
  const { secret } = options;
  if (secret === AMBIENT) requireAmbientUpstream(options);
  const own = secret === AMBIENT ? undefined : toKeys(secret ?? '');
  if (own && auth.role_arn === undefined) return { value: own, lastsMs: LONG_TERM_MS };
  const providers = await loadProviders();
  const requestHandler = { requestTimeout: TOKEN_TIMEOUT_MS, connectionTimeout: TOKEN_TIMEOUT_MS };
  const clientConfig = { region: auth.region, requestHandler, maxAttempts: 2 };
  const master =
    own ?? providers.fromNodeProviderChain({ clientConfig, timeout: TOKEN_TIMEOUT_MS, maxRetries: 0 });
  const provide =
    auth.role_arn === undefined && typeof master === 'function'
      ? master
      : providers.fromTemporaryCredentials({
          masterCredentials: master,
          clientConfig,
          params: {
            RoleArn: auth.role_arn,
            RoleSessionName: SESSION_NAME,
            ...(auth.external_id === undefined ? {} : { ExternalId: auth.external_id }),
          },
        });
  const found = await provide().catch((error: unknown) => {
    throw toAuthError(error);
  });
  const lastsMs = found.expiration ? found.expiration.getTime() - Date.now() : LONG_TERM_MS;
  const { accessKeyId, secretAccessKey, sessionToken } = found;
  const token = sessionToken === undefined ? {} : { sessionToken };
  return { value: { accessKeyId, secretAccessKey, ...token }, lastsMs };
}

function toKeys(secret: string): Keys {
  const read = awsSecretSchema.safeParse(parseJson(secret));
  if (!read.success) throw new UpstreamAuthError('The secret is the JSON of no access key.', true);
  const { access_key_id, secret_access_key, session_token }: AwsSecret = read.data;
  const token = session_token === undefined ? {} : { sessionToken: session_token };
  return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, ...token };
}

/** The words of the SDK may hold account numbers and names of roles; its error's name does not. */
function toAuthError(error: unknown): UpstreamAuthError {
  const { name = 'Error', $metadata } = error as {
    name?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? 0;
  return new UpstreamAuthError(`AWS gave no keys: ${name}.`, status >= 400 && status < 500, { cause: error });
}

export async function signAwsRequest(
  { method, origin, path, headers, body, form }: UnsignedRequest,
  keys: Keys,
  { region, service = 'bedrock' }: AwsAuth,
  signingDate: Date,
): Promise<Record<string, string>> {
  const { SignatureV4 } = await import('@smithy/signature-v4');
  const signer = new SignatureV4({
    credentials: keys,
    region,
    service,
    sha256: Sha256,
    // The body is in the signature already.
    applyChecksum: false,
  });
  // The signer takes it from there, and AWS holds the body against it.
  const ofForm = form ? { 'x-amz-content-sha256': await form.sha256() } : {};
  const url = new URL(origin);
  const at = path.indexOf('?');
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: at < 0 ? path : path.slice(0, at),
      query: readQuery(at < 0 ? '' : path.slice(at + 1)),
      // What a proxy on the way may change is not signed.
      headers: { host: url.host, ...ownHeaders(headers), ...ofForm },
      body: body ?? '',
    },
    { signingDate },
  );
  const { host: _host, ...proof } = signed.headers;
  return { ...headers, ...proof };
}

const ownHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('x-amz')),
  );

function readQuery(query: string): Record<string, string | string[]> {
  const read: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const before = findOwn(read, name);
    read[name] = before === undefined ? value : [before, value].flat();
  }
  return read;
}

/** Node's own hash, as the signer wants it. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret));
  }

  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(chunk));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

function toBytes(value: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value);
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}
