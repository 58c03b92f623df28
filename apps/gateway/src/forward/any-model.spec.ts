/*
 * The simulator's cases, refused ones and good ones, as their own clients send them, converted to every model of the other
 * formats that the vendors' rules tell apart: what comes out is taken, or our own 400 names the field that cannot be said.
 */
import {
  convertRequest,
  createStateWrapper,
  findDialect,
  type JsonObject,
  parseJson,
} from '@tollgate/protocols';
import { upstreamHeadersWithKey } from '../../testing/upstream-headers.ts';
import { REFUSED } from '@tollgate/simulator/refused-cases';
import { type ClientProtocol, CLIENT_PROTOCOLS, type Protocol, PROTOCOLS } from '@tollgate/vocabulary';

/** One for each profile of the simulator, and one that none knows. */
const MODELS: Readonly<Record<Protocol, readonly string[]>> = {
  'openai-chat': [
    ...[
      'sim',
      'gpt-4',
      'gpt-4o',
      'gpt-4.1',
      'o3',
      'o4-mini',
      'gpt-5',
      'gpt-5-chat-latest',
      'gpt-5.1',
      'gpt-5.4',
      'gpt-5.5',
    ],
    ...['gpt-5.2-codex', 'gpt-6', 'mistral-large-latest', 'deepseek-chat', 'deepseek-v4-pro', 'kimi-k2'],
    ...['moonshot-v1-8k', 'qwen3-max', 'grok-4', 'grok-3-mini', 'grok-4.3', 'grok-4.5', 'kimi-k2.6'],
    ...['mistral-small-2603', 'llama-3.3-70b-versatile'],
  ],
  'openai-responses': [
    ...['sim', 'gpt-4o', 'o3', 'gpt-5', 'gpt-5.1', 'gpt-5.5', 'gpt-5.2-codex', 'gpt-6'],
    ...['grok-4', 'grok-4.3'],
  ],
  'anthropic-messages': [
    ...['sim', 'claude-3-opus-20240229', 'claude-3-5-haiku-20241022', 'claude-3-7-sonnet-20250219'],
    ...['claude-sonnet-4-20250514', 'claude-opus-4-1-20250805', 'claude-opus-4-5', 'claude-haiku-4-5'],
    ...['claude-opus-4-6', 'claude-sonnet-4-6', 'claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-5'],
    'deepseek-v4-pro',
  ],
  gemini: [
    ...['sim', 'gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'],
    ...['gemini-3-pro-preview', 'gemini-3.1-pro-preview', 'gemini-3-flash-preview', 'gemini-3.6-flash'],
  ],
  'bedrock-converse': [
    ...['anthropic.claude-3-haiku-20240307-v1:0', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0'],
    ...['us.anthropic.claude-sonnet-4-20250514-v1:0', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ...['us.anthropic.claude-opus-4-6-v1', 'us.anthropic.claude-opus-4-8', 'amazon.nova-2-lite-v1:0'],
    ...['openai.gpt-oss-120b-1:0', 'meta.llama3-3-70b-instruct-v1:0'],
  ],
};

const BODIES: Readonly<Record<ClientProtocol, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] },
  'openai-responses': { model: 'm', input: 'Hello.' },
  'anthropic-messages': { model: 'm', max_tokens: 4_000, messages: [{ role: 'user', content: 'Hello.' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
};

/** What no vendor takes is passed on, as each has words of its own for it. */
const TAKEN_BY_NOBODY: ReadonlySet<string> = new Set(['choice-unknown']);

const states = createStateWrapper(Buffer.alloc(32));

/** What is wrong with what a client's request becomes; undefined where nothing is. */
function faultOf(from: ClientProtocol, to: Protocol, model: string, body: JsonObject): string | undefined {
  const converted = convertRequest({
    from,
    to,
    body,
    states,
    stream: false,
    framing: 'none',
    includeUsage: false,
    strict: false,
    dialect: findDialect(to, model),
    model: 'm',
    upstreamModel: model,
    defaultMaxTokens: 8_192,
  });
  if (!converted.ok) return converted.error.param === undefined ? converted.error.message : undefined;
  const headers: Readonly<Record<string, string>> =
    to === 'bedrock-converse' ? {} : upstreamHeadersWithKey(to);
  const sent = parseJson(converted.body.toString('utf8')) as JsonObject;
  // Who says nothing at all has the vendor's own words for it.
  if (Array.isArray(sent['messages']) && sent['messages'].length === 0) return undefined;
  return REFUSED[to].refusedBy({
    body: sent,
    model,
    header: (name) => headers[name],
    counts: false,
    stream: false,
    account: 'key',
  });
}

const pairs = CLIENT_PROTOCOLS.flatMap((from) =>
  PROTOCOLS.filter((to) => to !== from).map((to) => [from, to] as const),
);

test.each(pairs)('whatever clients of %s ask, all models of %s take it', (from, to) => {
  const faults = REFUSED[from].cases.flatMap(({ rule, good, bad }, index) =>
    (TAKEN_BY_NOBODY.has(rule) ? [good] : [good, bad]).flatMap((over) =>
      MODELS[to].flatMap((model) => {
        const body = parseJson(JSON.stringify({ ...BODIES[from], ...over })) as JsonObject;
        const fault = faultOf(from, to, model, body);
        return fault === undefined ? [] : [`${rule} (${index}) at ${model}: ${fault}`];
      }),
    ),
  );
  expect(faults).toEqual([]);
});
