import type { IncomingHttpHeaders } from 'node:http';
import { CODECS, type StreamFraming } from '@tollgate/protocols';
import { API_KEY_WITHIN, type ClientProtocol } from '@tollgate/vocabulary';

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

/** What nearly every client says of its connection. */
const USUAL = new Map(['keep-alive', 'close'].map((name) => [name, new Set([name])]));
const NONE: ReadonlySet<string> = new Set();

const findNamedByConnection = (headers: IncomingHttpHeaders): ReadonlySet<string> =>
  headers.connection === undefined ? NONE : (USUAL.get(headers.connection) ?? namedByConnection(headers));

/** What any upstream may see: who asks with which program, and the trace that the request belongs to. */
const ANY = new Set(['accept-language', 'user-agent', 'traceparent', 'tracestate', 'baggage']);

/** Names that could be those of a credential pass nowhere, and neither do values in the form of one of our keys. */
const CREDENTIAL_NAME = /auth|cookie|credential|password|secret|api-?key|token/;

/**
 * The caller's headers that an upstream of this format may see. Whatever else a caller, its browser or a proxy before us puts
 * into a request may be a credential, or say who somebody is.
 *
 * @param further names in lower case that the operators let pass as well.
 * @param accepted what is asked for, and can be read, metered and passed on: some upstreams stream, or answer in another
 *   format, for who accepts that, whatever the body says.
 */
export function upstreamHeaders(
  protocol: ClientProtocol,
  incoming: IncomingHttpHeaders,
  further: ReadonlySet<string>,
  accepted: string,
): Record<string, string> {
  const verdicts = findVerdicts(protocol, further);
  const named = findNamedByConnection(incoming);
  const headers: Record<string, string> = {};
  for (const name in incoming) {
    const value = incoming[name];
    if (value === undefined || named.has(name)) continue;
    const passes = verdicts.get(name) ?? judge(verdicts, protocol, name, further);
    if (!passes) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (!API_KEY_WITHIN.test(text)) headers[name] = text;
  }
  headers['content-type'] = 'application/json';
  headers['accept'] = accepted;
  // The bytes are read on the way through; most of them are too small to be worth packing on this hop.
  headers['accept-encoding'] = 'identity';
  return headers;
}

/** Clients send the same names again and again: each is looked at once, as long as there are not too many. */
const MAX_VERDICTS = 1_000;
const MAX_KEPT_NAME = 64;
type Verdicts = Map<string, boolean>;
const verdictsByNames = new WeakMap<ReadonlySet<string>, Map<ClientProtocol, Verdicts>>();

function findVerdicts(protocol: ClientProtocol, further: ReadonlySet<string>): Verdicts {
  const found = verdictsByNames.get(further)?.get(protocol);
  if (found) return found;
  const byProtocol = verdictsByNames.get(further) ?? new Map<ClientProtocol, Verdicts>();
  verdictsByNames.set(further, byProtocol);
  const verdicts: Verdicts = new Map();
  byProtocol.set(protocol, verdicts);
  return verdicts;
}

function judge(
  verdicts: Verdicts,
  protocol: ClientProtocol,
  name: string,
  further: ReadonlySet<string>,
): boolean {
  const { names, prefixes } = CODECS[protocol].callerHeaders;
  const passes =
    ANY.has(name) ||
    names.has(name) ||
    further.has(name) ||
    prefixes.some((prefix) => name.startsWith(prefix));
  const verdict = passes && !CREDENTIAL_NAME.test(name);
  if (name.length <= MAX_KEPT_NAME && verdicts.size < MAX_VERDICTS) verdicts.set(name, verdict);
  return verdict;
}

/** The caller's query, as far as an upstream of this format may see it. */
export function upstreamQuery(protocol: ClientProtocol, query: string): string {
  if (query === '') return '';
  const { callerQuery } = CODECS[protocol];
  const passing = [...new URLSearchParams(query)].filter(([name, value]) =>
    callerQuery.has(`${name}=${value}`),
  );
  return new URLSearchParams(passing).toString();
}

/** What a conversation is answered with. Refusals of streams are JSON. */
export const toAccepted = ({ stream }: { readonly stream: boolean }): string =>
  stream ? 'text/event-stream, application/json' : 'application/json';

/** Of the caller's headers only these mean something to an upstream of another protocol. */
const CONVERTED = ['user-agent', 'traceparent', 'tracestate', 'baggage'];

export function convertedHeaders(
  incoming: IncomingHttpHeaders,
  further: ReadonlySet<string>,
  accepted: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
  };
  for (const name of [...CONVERTED, ...further]) {
    const value = incoming[name];
    if (typeof value === 'string' && !API_KEY_WITHIN.test(value) && !CREDENTIAL_NAME.test(name))
      headers[name] = value;
  }
  headers['accept'] = accepted;
  return headers;
}

/** Of an upstream's answer only these reach the caller: the others describe our account or our connection. */
const ANSWERED = ['content-language', 'openai-processing-ms', 'openai-version', 'server-timing'];

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

const EXPECTED = {
  json: { type: 'application/json', pattern: /^application\/(?:[\w.+-]+\+)?json\s*(?:$|;)/i },
  sse: { type: 'text/event-stream', pattern: /^text\/event-stream\s*(?:$|;)/i },
};

/** The upstream's word for what an answer is, where it is what it must be: a page would be shown by a browser. */
export function answerType(upstream: string | string[] | undefined, framing: StreamFraming): string {
  const { type, pattern } = EXPECTED[framing === 'sse' ? 'sse' : 'json'];
  return typeof upstream === 'string' && pattern.test(upstream) ? upstream : type;
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

const MAX_HEADER_CHARACTERS = 1_000;

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
    .slice(0, MAX_HEADER_CHARACTERS);
