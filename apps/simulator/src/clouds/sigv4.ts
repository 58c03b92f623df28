import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * AWS Signature Version 4 as a server of AWS checks it, written from its description: what verifies signatures here shares
 * no line with what makes them.
 */

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Buffer;
}

/** An access key that the cloud has given out. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  /** Of keys that are lent for a while. */
  readonly sessionToken?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

interface Claims {
  readonly keyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

export type Verified =
  | { readonly ok: true; readonly key: AccessKey; readonly region: string; readonly service: string }
  /** `type` is what AWS names the error in `x-amzn-errortype`. */
  | { readonly ok: false; readonly status: 403; readonly type: string; readonly message: string };

const MAX_SKEW_MS = 5 * 60_000;

/** Checks who signed a request, for one of these services, and that it was signed just now. */
export function verifySignature(
  request: WireRequest,
  options: {
    readonly services: readonly string[];
    readonly findKey: (id: string) => AccessKey | undefined;
    readonly now: number;
  },
): Verified {
  const claims = parseClaims(header(request, 'authorization'));
  if (!claims) return refuse('MissingAuthenticationTokenException', 'Missing Authentication Token');
  const { keyId, region, service, signedHeaders } = claims;
  const stamp = header(request, 'x-amz-date');
  const signedAt = parseStamp(stamp);
  if (signedAt === undefined || !stamp.startsWith(claims.date))
    return refuse('IncompleteSignatureException', 'Date must be in ISO-8601 basic format.');
  if (!options.services.includes(service))
    return refuse('InvalidSignatureException', `Credential should be scoped to a valid service.`);
  const key = options.findKey(keyId);
  if (!key)
    return refuse('UnrecognizedClientException', 'The security token included in the request is invalid.');
  if (Math.abs(options.now - signedAt) > MAX_SKEW_MS) {
    const side = signedAt < options.now ? 'Signature expired' : 'Signature not yet current';
    return refuse('InvalidSignatureException', `${side}: ${stamp}`);
  }
  for (const name of requiredHeaders(request)) {
    if (!signedHeaders.includes(name))
      return refuse('InvalidSignatureException', `'${name}' must be a 'SignedHeader'.`);
  }
  if (key.sessionToken !== undefined && header(request, 'x-amz-security-token') !== key.sessionToken)
    return refuse('UnrecognizedClientException', 'The security token included in the request is invalid.');
  if (key.expiresAt !== undefined && key.expiresAt <= options.now)
    return refuse('ExpiredTokenException', 'The security token included in the request is expired');
  const stated = header(request, 'x-amz-content-sha256');
  if (stated !== '' && stated !== sha256(request.body))
    return refuse('InvalidSignatureException', 'The provided x-amz-content-sha256 does not match the body.');
  const expected = computeSignature(request, { ...claims, stamp }, key.secret);
  if (!isSame(expected, claims.signature)) {
    return refuse(
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided.',
    );
  }
  return { ok: true, key, region, service };
}

const refuse = (type: string, message: string): Verified => ({ ok: false, status: 403, type, message });

/** The signature of a request, in lower-case hexadecimal. */
export function computeSignature(
  request: WireRequest,
  scope: Pick<Claims, 'date' | 'region' | 'service' | 'signedHeaders'> & { readonly stamp: string },
  secret: string,
): string {
  const { date, region, service, stamp } = scope;
  const canonical = sha256(canonicalRequest(request, scope.signedHeaders));
  const text = ['AWS4-HMAC-SHA256', stamp, `${date}/${region}/${service}/aws4_request`, canonical].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (before, part) => createHmac('sha256', before).update(part).digest(),
    `AWS4${secret}`,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}

/** What is hashed: method, path, query, the headers that are signed, and the hash of the body. */
export function canonicalRequest(request: WireRequest, signedHeaders: readonly string[]): string {
  const at = request.url.indexOf('?');
  const path = at < 0 ? request.url : request.url.slice(0, at);
  const query = at < 0 ? '' : request.url.slice(at + 1);
  const lines = signedHeaders.map(
    (name) => `${name}:${header(request, name).trim().replaceAll(/ +/g, ' ')}\n`,
  );
  return [
    request.method.toUpperCase(),
    canonicalPath(path),
    canonicalQuery(query),
    lines.join(''),
    signedHeaders.join(';'),
    sha256(request.body),
  ].join('\n');
}

/** The path as it came, with every part encoded once more. */
function canonicalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(encode(part));
  }
  const slash = parts.length > 0 && /\/\.{0,2}$/.test(path) ? '/' : '';
  return `/${parts.join('/')}${slash}`;
}

const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [encode(decodeURIComponent(name)), encode(decodeURIComponent(value))];
    })
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** All but letters, digits and `-._~`, by their UTF-8 bytes. */
const encode = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(
      /[^A-Za-z0-9\-._~]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );

/** The host, and everything that AWS reads itself. */
const requiredHeaders = ({ headers }: WireRequest): string[] => [
  'host',
  ...Object.keys(headers).filter(
    (name) => name.startsWith('x-amz-') && name !== 'x-amzn-trace-id' && headers[name] !== undefined,
  ),
];

function parseClaims(authorization: string): Claims | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request,\s*SignedHeaders=([a-z0-9;\-_]+),\s*Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (!match) return undefined;
  const [, keyId = '', date = '', region = '', service = '', names = '', signature = ''] = match;
  const signedHeaders = names.split(';');
  const sorted = [...signedHeaders].sort(compare);
  if (sorted.join(';') !== names) return undefined;
  return { keyId, date, region, service, signedHeaders, signature };
}

function parseStamp(stamp: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp);
  if (!match) return undefined;
  const [year = 0, month = 0, ...rest] = match.slice(1).map(Number);
  const [day = 0, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const header = ({ headers }: WireRequest, name: string): string => {
  const value = headers[name];
  return typeof value === 'object' ? value.join(',') : (value ?? '');
};

const sha256 = (body: string | Buffer): string => createHash('sha256').update(body).digest('hex');

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
