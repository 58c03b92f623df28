import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CLIENT_PROTOCOLS, type ClientProtocol, type Protocol, PROTOCOLS } from '@tollgate/vocabulary';
import { findDialect } from '../../dialects/find-dialect.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import type { ReasoningState } from '../../neutral/request.ts';
import { convertRequest, type ConvertedRequest } from '../convert-request.ts';
import { createStateWrapper } from '../reasoning-state.ts';
import { layout } from './layout.ts';

/** What comes of a client's request at an upstream: the request there, or the field that was refused. */
type Outcome =
  | { readonly request: unknown; readonly dropped: readonly string[]; readonly emulated: readonly string[] }
  | { readonly refused: string | null };

interface ClientCase {
  readonly body: JsonObject;
  readonly stream?: boolean;
  readonly strict?: boolean;
  readonly upstreamModel?: string;
  readonly to: Partial<Record<Protocol, Outcome>>;
}

interface RequestCase {
  readonly about: string;
  readonly clients: Partial<Record<ClientProtocol, ClientCase>>;
}

const folder = new URL('./requests/', import.meta.url);

export const CASE_FILES = readdirSync(folder).filter((name) => name.endsWith('.json'));

export const readCase = (file: string): RequestCase =>
  parseJson(readFileSync(new URL(file, folder), 'utf8')) as RequestCase;

export const writeCase = (file: string, request: RequestCase): void =>
  writeFileSync(new URL(file, folder), `${layout(request)}\n`);

export const STATES = createStateWrapper(Buffer.from('golden'));

/** Every client of a case with every other upstream. */
export const findPairs = (request: RequestCase): { from: ClientProtocol; to: Protocol; client: ClientCase }[] =>
  CLIENT_PROTOCOLS.flatMap((from) => {
    const client = request.clients[from];
    return client ? PROTOCOLS.flatMap((to) => (to === from ? [] : [{ from, to, client }])) : [];
  });

/** Converts a client's body of a case as the relay would. */
export function convertCase(from: ClientProtocol, to: Protocol, client: ClientCase): ConvertedRequest {
  const { upstreamModel = 'upstream-model' } = client;
  return convertRequest({
    from,
    to,
    body: withStates(client.body) as JsonObject,
    stream: client.stream ?? client.body['stream'] === true,
    framing: 'sse',
    includeUsage: false,
    model: 'relay-model',
    upstreamModel,
    dialect: findDialect(to, upstreamModel),
    defaultMaxTokens: 4_096,
    states: STATES,
    strict: client.strict ?? false,
  });
}

export const toOutcome = (converted: ConvertedRequest): Outcome =>
  converted.ok
    ? {
        request: parseJson(converted.body.toString('utf8')),
        dropped: converted.dropped,
        emulated: converted.emulated,
      }
    : { refused: converted.error.param };

/** A state that a client brings back stands in a case as `{"$states": […]}`, so that it can be read. */
function withStates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withStates);
  if (!isObject(value)) return value;
  if (Array.isArray(value['$states'])) {
    const text = STATES.wrap(value['$states'] as ReasoningState[]);
    const spoilt =
      value['tampered'] === true ? text.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) : text;
    return value['base64'] === true ? Buffer.from(spoilt).toString('base64') : spoilt;
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withStates(inner)]));
}
