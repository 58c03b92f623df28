/*
 * What clients ask of other vendors' models, converted and sent to a simulator that refuses what the vendors refuse: once as
 * if models took everything of their format, and once as their dialects say.
 */
import type { ModelDialect } from '@tollgate/contracts';
import {
  type ConversionRequest,
  convertRequest,
  createStateWrapper,
  type Dialect,
  findDialect,
  joinUpstreamUrl,
  type Protocol,
  upstreamPath,
  upstreamRequestHeaders,
} from '@tollgate/protocols';
import { type RunningSimulator, startSimulator } from '@tollgate/simulator';

/** A model that takes whatever its format can say. */
const TAKES_ALL: ModelDialect = {
  sampling: 'all',
  reasoning: 'any',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  reasoning_off: true,
  min_budget: 0,
  max_budget: null,
  limit_field: 'max_completion_tokens',
  min_output_tokens: 1,
  encrypted_reasoning: true,
  prefill: true,
  structured_output: true,
  closed_schemas: false,
  json_word: 'nobody',
  user_min: 1,
  user_max: null,
  user_alphabet: 'any',
  call_id_min: 1,
  call_id_max: null,
  call_id_alphabet: 'any',
  refused_fields: [],
};

interface Asked {
  readonly what: string;
  readonly from: Protocol;
  readonly to: Protocol;
  readonly model: string;
  readonly asks: ConversionRequest['body'];
  /** Of the catalogue. */
  readonly maxOutputTokens?: number;
}

const BODIES: Readonly<Record<Protocol, ConversionRequest['body']>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] },
  'openai-responses': { model: 'm', input: 'Hello.' },
  'anthropic-messages': { model: 'm', max_tokens: 9_000, messages: [{ role: 'user', content: 'Hello.' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
};

const [chat, responses, messages, gemini] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
] as const;
const user = {
  metadata: {
    user_id: `{"device_id":"${'0'.repeat(64)}","session_id":"8d4a2c1e-1111-4222-8333-444455556666"}`,
  },
};
const config = (members: object) => ({ generationConfig: members });
const schema = { type: 'OBJECT', properties: { n: { type: 'INTEGER', minimum: 1 } } };
const longId = `toolu_${'a'.repeat(90)}`;
const called = {
  messages: [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: longId, name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: longId, content: 'done' }] },
  ],
};

const ASKED: readonly Asked[] = [
  { what: 'the user of Claude Code', from: messages, to: chat, model: 'gpt-5.5', asks: user },
  { what: 'the user of Claude Code', from: messages, to: responses, model: 'gpt-5.5', asks: user },
  {
    what: 'a long user',
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: { user: 'u'.repeat(300) },
  },
  {
    what: 'two ways to sample',
    from: gemini,
    to: messages,
    model: 'claude-sonnet-4-6',
    asks: config({ temperature: 0.5, topP: 0.9 }),
  },
  { what: 'a temperature', from: chat, to: messages, model: 'claude-opus-4-8', asks: { temperature: 0.7 } },
  { what: 'a temperature', from: messages, to: responses, model: 'gpt-5', asks: { temperature: 0.7 } },
  { what: 'a temperature', from: messages, to: chat, model: 'o3', asks: { temperature: 0.7 } },
  {
    what: 'an effort',
    from: chat,
    to: messages,
    model: 'claude-haiku-4-5',
    asks: { reasoning_effort: 'low' },
  },
  {
    what: 'an effort',
    from: chat,
    to: gemini,
    model: 'gemini-2.5-flash',
    asks: { reasoning_effort: 'high' },
  },
  {
    what: 'the most effort',
    from: messages,
    to: responses,
    model: 'gpt-5',
    asks: { output_config: { effort: 'max' } },
  },
  {
    what: 'a budget',
    from: gemini,
    to: messages,
    model: 'claude-opus-4-8',
    asks: config({ thinkingConfig: { thinkingBudget: 2_048 } }),
  },
  { what: 'encrypted reasoning', from: messages, to: responses, model: 'gpt-4o', asks: {} },
  { what: 'a limit of output', from: messages, to: chat, model: 'mistral-large-latest', asks: {} },
  { what: 'one token of output', from: messages, to: responses, model: 'gpt-5.5', asks: { max_tokens: 1 } },
  {
    what: '64,000 tokens of output',
    from: messages,
    to: chat,
    model: 'gpt-4o',
    asks: { max_tokens: 64_000 },
    maxOutputTokens: 16_384,
  },
  {
    what: 'a schema',
    from: gemini,
    to: messages,
    model: 'claude-sonnet-5',
    asks: config({ responseMimeType: 'application/json', responseSchema: schema }),
  },
  {
    what: 'a schema',
    from: responses,
    to: chat,
    model: 'deepseek-v4',
    asks: {
      text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object', properties: {} } } },
    },
  },
  {
    what: 'JSON',
    from: gemini,
    to: chat,
    model: 'gpt-4o',
    asks: config({ responseMimeType: 'application/json' }),
  },
  {
    what: 'JSON',
    from: gemini,
    to: responses,
    model: 'gpt-4o',
    asks: config({ responseMimeType: 'application/json' }),
  },
  { what: 'metadata', from: responses, to: chat, model: 'gpt-4o', asks: { metadata: { a: 'b' } } },
  { what: 'a long id of a call', from: messages, to: chat, model: 'gpt-4o', asks: called },
  { what: 'a long id of a call', from: messages, to: responses, model: 'gpt-4o', asks: called },
  {
    what: 'an id of a call',
    from: messages,
    to: chat,
    model: 'mistral-large-latest',
    asks: { ...called, metadata: {} },
  },
  {
    what: 'words to go on with',
    from: chat,
    to: messages,
    model: 'claude-sonnet-4-6',
    asks: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'It is' },
      ],
    },
  },
];

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

async function statusOf({ from, to, model, asks }: Asked, dialect: Dialect): Promise<string> {
  const converted = convertRequest({
    ...{ from, to, dialect, stream: false, framing: 'none', includeUsage: false, strict: false },
    body: { ...BODIES[from], ...asks },
    model: 'm',
    upstreamModel: model,
    defaultMaxTokens: 8_192,
    states: createStateWrapper(Buffer.alloc(32)),
  });
  if (!converted.ok) return converted.error.message;
  const path = upstreamPath(to, { model, action: converted.action });
  const answer = await fetch(joinUpstreamUrl(simulator.url, path), {
    method: 'POST',
    headers: { ...upstreamRequestHeaders(to, {}, 'key'), 'content-type': 'application/json' },
    body: converted.body.toString('utf8'),
  });
  return answer.ok ? 'taken' : `${answer.status} ${await answer.text()}`;
}

test.each(ASKED)(
  '$what from $from is refused by $model as it is, and taken as its dialect says it',
  async (asked) => {
    const { to, model, maxOutputTokens: max_output_tokens = null } = asked;
    expect(await statusOf(asked, findDialect(to, model, TAKES_ALL))).toMatch(/^4(?:00|22) /);
    expect(await statusOf(asked, findDialect(to, model, { max_output_tokens }))).toBe('taken');
  },
);
