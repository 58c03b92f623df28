import type { IncomingHttpHeaders } from 'node:http';

/** RFC 9110 section 7.6.1, and what only concerns one connection or one hop. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

const namedByConnection = ({ connection }: IncomingHttpHeaders): ReadonlySet<string> =>
  new Set(
    connection
      ?.toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );

/** Without what concerns one connection only. */
export function withoutHopByHop<T extends IncomingHttpHeaders>(headers: T): T {
  const named = namedByConnection(headers);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name) && !named.has(name)),
  ) as T;
}

/** Never sent to an upstream: the caller's credentials and address, and what the gateway sets itself. */
const NOT_FORWARDED = new Set([
  ...HOP_BY_HOP,
  // What the body is, which is not what the caller sent.
  'content-md5',
  'content-digest',
  'repr-digest',
  'digest',
  // What the caller's browser, or a proxy before us, says of the caller.
  'origin',
  'referer',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  // What could make a server take the request for another one.
  'x-original-url',
  'x-rewrite-url',
  'x-original-host',
  'x-host',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'expect',
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'cookie',
  'forwarded',
  'via',
  'x-real-ip',
  'x-request-id',
  'request-id',
  // A key of the caller's own: our credential's other callers may choose the same.
  'idempotency-key',
  'openai-organization',
  'openai-project',
  'anthropic-workspace-id',
]);

const NOT_FORWARDED_PREFIX = /^(?:x-forwarded-|cf-|sec-|fly-|fastly-|x-envoy-|x-azure-|x-vercel-)|_/;

/** The caller's headers that an upstream may see: protocol versions, betas, client identification. */
export function upstreamHeaders(incoming: IncomingHttpHeaders): Record<string, string> {
  const named = namedByConnection(incoming);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value === undefined || NOT_FORWARDED.has(name) || named.has(name) || NOT_FORWARDED_PREFIX.test(name))
      continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  headers['content-type'] = 'application/json';
  // The bytes are read on the way through; most of them are too small to be worth packing on this hop.
  headers['accept-encoding'] = 'identity';
  return headers;
}

/** Of the caller's headers only these mean something to an upstream of another protocol. */
const CONVERTED = ['user-agent', 'traceparent', 'tracestate', 'baggage'];

export function convertedHeaders(incoming: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'identity',
  };
  for (const name of CONVERTED) {
    const value = incoming[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

/** Of an upstream's answer only these reach the caller: the others describe our account or our connection. */
const ANSWERED = [
  'content-type',
  'content-language',
  'openai-processing-ms',
  'openai-version',
  'server-timing',
];

export function answerHeaders(
  upstream: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ANSWERED) {
    const value = upstream[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

/** Tells the caller of a converted request what could not be carried as it was. */
export function conversionHeaders(notes: {
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
}): Record<string, string> {
  return {
    ...(notes.dropped.length > 0 ? { 'x-tollgate-dropped': listHeader(notes.dropped) } : {}),
    ...(notes.emulated.length > 0 ? { 'x-tollgate-emulated': listHeader(notes.emulated) } : {}),
  };
}

const MOST_HEADER = 1_000;

/** Field names come from the caller: only what a header may hold stands in it, and not too much of that. */
const listHeader = (fields: readonly string[]): string =>
  fields
    .map((field) =>
      field
        .replace(/[^\x21-\x7e]/g, ' ')
        .replaceAll(',', ';')
        .trim(),
    )
    .join(', ')
    .slice(0, MOST_HEADER);
