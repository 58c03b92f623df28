import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CLIENT_PROTOCOLS, type ClientProtocol, type Protocol, PROTOCOLS } from '@tollgate/vocabulary';
import { isObject, type JsonObject, parseJson, textAt } from '../../json.ts';
import type { Tool } from '../../neutral/request.ts';
import { createSseSplitter } from '../../stream/sse-splitter.ts';
import { convertAnswer } from '../convert-answer.ts';
import type { AnswerPlan } from '../convert-request.ts';
import { createStreamConverter } from '../convert-stream.ts';
import { CODECS } from '../../registry.ts';
import { createToolNames } from '../tool-names.ts';
import { STATES } from './cases.ts';
import { layout } from './layout.ts';

/** An event: what its data is as JSON, or its data as a text. */
export type CaseEvent = JsonObject | string;

interface UpstreamCase {
  /** A whole answer, or the events of a stream. */
  readonly answer?: JsonObject;
  readonly events?: readonly CaseEvent[];
  /** The tools of the request, where names of them were changed for the upstream. */
  readonly tools?: readonly Tool[];
  /** By client format: the answer, the events, or the refusal's words. */
  readonly to: Partial<Record<ClientProtocol, unknown>>;
}

export interface AnswerCase {
  readonly about: string;
  readonly upstreams: Partial<Record<Protocol, UpstreamCase>>;
}

export interface AnswerPair {
  readonly from: ClientProtocol;
  readonly to: Protocol;
  readonly upstream: UpstreamCase;
}

const folderOf = (kind: 'answers' | 'streams') => new URL(`./${kind}/`, import.meta.url);

export const answerFiles = (kind: 'answers' | 'streams'): string[] =>
  readdirSync(folderOf(kind)).filter((name) => name.endsWith('.json'));

export const readAnswerCase = (kind: 'answers' | 'streams', file: string): AnswerCase =>
  parseJson(readFileSync(new URL(file, folderOf(kind)), 'utf8')) as AnswerCase;

export const writeAnswerCase = (kind: 'answers' | 'streams', file: string, answer: AnswerCase): void =>
  writeFileSync(new URL(file, folderOf(kind)), `${layout(answer)}\n`);

/** Every upstream of a case with every other format as the client's. */
export const answerPairs = ({ upstreams }: AnswerCase): AnswerPair[] =>
  PROTOCOLS.flatMap((to) => {
    const upstream = upstreams[to];
    return upstream ? CLIENT_PROTOCOLS.flatMap((from) => (from === to ? [] : [{ from, to, upstream }])) : [];
  });

export const createPlan = (from: ClientProtocol, to: Protocol, tools: readonly Tool[] = []): AnswerPlan => ({
  from,
  to,
  names: createToolNames(tools, CODECS[to].conversion.toolNames),
  answer: {
    model: 'relay-model',
    states: STATES,
    created: 1_790_000_000,
    fallbackId: '',
    framing: 'sse',
    includeUsage: true,
  },
});

/** The client's whole answer, as the relay would send it. */
export function convertWholeAnswer({ from, to, upstream }: AnswerPair): unknown {
  const converted = convertAnswer(
    createPlan(from, to, upstream.tools),
    Buffer.from(JSON.stringify(upstream.answer)),
  );
  return converted.ok
    ? shorten(parseJson(converted.body.toString('utf8')))
    : { refused: converted.error.message };
}

/** The bytes of an upstream's stream. */
export const toBytes = (protocol: Protocol, events: readonly CaseEvent[]): Buffer =>
  Buffer.from(events.map((event) => record(protocol, event, '\n')).join(''));

/** The bytes that a client gets of an upstream's stream that comes in these chunks. */
export function convertStreamed({ from, to, upstream }: AnswerPair, chunks: readonly Buffer[]): string {
  const converter = createStreamConverter(createPlan(from, to, upstream.tools), 'sse');
  const pieces = [...chunks.map((chunk) => converter.push(chunk)), converter.end()];
  return Buffer.concat(pieces.filter((piece) => piece !== undefined)).toString('utf8');
}

/** The bytes that the events of a case stand for. */
export const clientBytes = (protocol: ClientProtocol, events: readonly CaseEvent[]): string =>
  events.map((event) => record(protocol, lengthen(event), protocol === 'gemini' ? '\r\n' : '\n')).join('');

/** The other way round, to write a case. */
export const clientEvents = (bytes: string): unknown[] =>
  createSseSplitter()
    .push(Buffer.from(bytes))
    .map(({ data = '' }) => shorten(parseJson(data) ?? data));

function record(protocol: Protocol, event: CaseEvent, lineEnd: string): string {
  if (typeof event === 'string') return `data: ${event}${lineEnd}${lineEnd}`;
  const named = protocol === 'openai-responses' || protocol === 'anthropic-messages';
  const name = named ? `event: ${textAt(event, 'type')}${lineEnd}` : '';
  return `${name}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`;
}

/** What every Responses answer says in the same words is left out of the cases. */
const FRAME: JsonObject = {
  id: '',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: 'relay-model',
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  store: false,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
  usage: null,
};

function shorten(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (isObject(value['response'])) return { ...value, response: shorten(value['response']) };
  if (value['object'] !== 'response') return value;
  const differing = Object.entries(value).filter(
    ([key, each]) => JSON.stringify(each) !== JSON.stringify(FRAME[key]),
  );
  return Object.fromEntries(differing);
}

const lengthen = (event: CaseEvent): CaseEvent =>
  typeof event !== 'string' && isObject(event['response'])
    ? { ...event, response: { ...FRAME, ...event['response'] } }
    : event;
