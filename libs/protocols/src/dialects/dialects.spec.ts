import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../json.ts';
import type { Protocol } from '../protocol.ts';
import { convertCase, outcomeOf } from '../convert/golden/cases.ts';

const CLAUDE_CODE_USER = JSON.stringify({
  device_id: '3f2c9a'.padEnd(64, '0'),
  account_uuid: '',
  session_id: '8d4a2c1e-1111-4222-8333-444455556666',
});
const HASH = createHash('sha256').update(CLAUDE_CODE_USER).digest('hex');

const BODIES = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] },
  'openai-responses': { model: 'm', input: 'Hello.' },
  'anthropic-messages': { model: 'm', max_tokens: 20_000, messages: [{ role: 'user', content: 'Hello.' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
} satisfies Record<Protocol, JsonObject>;

interface DialectCase {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly model: string;
  /** Beside a plain question. */
  readonly asks: JsonObject;
  /** What the request says of it; a member that is undefined must not be there. */
  readonly sends: JsonObject;
  readonly dropped?: readonly string[];
  readonly emulated?: readonly string[];
}

const config = (members: JsonObject): JsonObject => ({ generationConfig: members });
const thinks = (members: JsonObject): JsonObject => config({ thinkingConfig: members });
const budget = (budget_tokens: number): JsonObject => ({
  thinking: { type: 'enabled', budget_tokens, display: 'summarized' },
});
const THINKS = 'generationConfig.thinkingConfig';

const [chat, responses, messages, gemini] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
] as const;

const MISTRAL_ID = createHash('sha256')
  .update('toolu_01A09q90qw90lq917835lq9')
  .digest('base64')
  .replaceAll(/[^A-Za-z0-9]/g, '')
  .slice(0, 9);

const CALL_ID = 'call12345';
const CHAT_CALL = { id: CALL_ID, type: 'function', function: { name: 'f', arguments: '{}' } };

/** A call of a tool, its result, and what the user says after it. */
const toolTurns = (after: readonly JsonObject[], before: readonly JsonObject[] = []): JsonObject[] => [
  { role: 'user', content: 'Hello.' },
  { role: 'assistant', content: [...before, { type: 'tool_use', id: CALL_ID, name: 'f', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: CALL_ID, content: 'done' }, ...after] },
];

const PREFILL = [
  { role: 'user', content: 'Hello.' },
  { role: 'assistant', content: 'It is' },
];
const PREFILLED = {
  'openai-chat': PREFILL,
  gemini: [
    { role: 'user', parts: [{ text: 'Hello.' }] },
    { role: 'model', parts: [{ text: 'It is' }] },
  ],
} as const;
const GO_ON = 'Go on from where your last message ends.';
const ASKED_TO_GO_ON = {
  'openai-chat': { role: 'user', content: GO_ON },
  gemini: { role: 'user', parts: [{ text: GO_ON }] },
} as const;

const APPLY_PATCH = {
  name: 'apply_patch',
  description: '',
  parameters: {
    type: 'object',
    properties: { input: { type: 'string', description: 'The whole input of the tool' } },
    required: ['input'],
  },
};

/** One call of two has no result. */
const RESULTS = {
  'anthropic-messages': {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
      {
        role: 'assistant',
        content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'done' }] },
          {
            type: 'tool_result',
            tool_use_id: 'b',
            is_error: true,
            content: [{ type: 'text', text: 'The tool gave no result.' }],
          },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
  },
  'openai-responses': {
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
      ...['a', 'b'].map((id) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })),
      { type: 'function_call_output', call_id: 'a', output: 'done' },
      { type: 'function_call_output', call_id: 'b', output: 'Error: The tool gave no result.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
    ],
  },
} as const;

const CASES: Readonly<Record<string, readonly DialectCase[]>> = {
  'ids of users': [
    {
      from: messages,
      to: chat,
      model: 'gpt-5.5',
      asks: { metadata: { user_id: CLAUDE_CODE_USER } },
      sends: { user: HASH },
      emulated: ['metadata.user_id'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5.5',
      asks: { metadata: { user_id: CLAUDE_CODE_USER } },
      sends: { user: HASH },
      emulated: ['metadata.user_id'],
    },
    {
      from: messages,
      to: chat,
      model: 'gpt-5.5',
      asks: { metadata: { user_id: 'u'.repeat(64) } },
      sends: { user: 'u'.repeat(64) },
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-5',
      asks: { user: 'u'.repeat(256) },
      sends: { metadata: { user_id: 'u'.repeat(256) } },
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-5',
      asks: { user: CLAUDE_CODE_USER.repeat(2) },
      sends: { metadata: { user_id: createHash('sha256').update(CLAUDE_CODE_USER.repeat(2)).digest('hex') } },
      emulated: ['user'],
    },
    {
      from: responses,
      to: chat,
      model: 'gpt-5.5',
      asks: { safety_identifier: CLAUDE_CODE_USER },
      sends: { safety_identifier: HASH },
      emulated: ['safety_identifier'],
    },
    {
      from: responses,
      to: chat,
      model: 'deepseek-v4',
      asks: { user: 'a@b.example' },
      sends: { user: createHash('sha256').update('a@b.example').digest('hex') },
      emulated: ['user'],
    },
    {
      from: responses,
      to: chat,
      model: 'glm-5',
      asks: { user: 'ann' },
      sends: { user: createHash('sha256').update('ann').digest('hex') },
      emulated: ['user'],
    },
    {
      from: messages,
      to: chat,
      model: 'mistral-large-latest',
      asks: { metadata: { user_id: 'ann' } },
      sends: { user: undefined },
      dropped: ['user'],
    },
  ],
  sampling: [
    {
      from: gemini,
      to: messages,
      model: 'claude-sonnet-4-6',
      asks: config({ temperature: 1, topP: 0.95, topK: 64 }),
      sends: { temperature: undefined, top_p: 0.95, top_k: 64 },
    },
    {
      from: chat,
      to: messages,
      model: 'claude-haiku-4.5',
      asks: { temperature: 0.1, top_p: 1 },
      sends: { temperature: 0.1, top_p: undefined },
    },
    {
      from: chat,
      to: messages,
      model: 'us.anthropic.claude-opus-4-1-20250805-v1:0',
      asks: { temperature: 0.1, top_p: 0.5 },
      sends: { temperature: 0.1, top_p: undefined },
      dropped: ['top_p'],
    },
    {
      from: messages,
      to: chat,
      model: 'o4-mini',
      asks: { stop_sequences: ['END'] },
      sends: { stop: undefined },
      dropped: ['stop'],
    },
    {
      from: messages,
      to: chat,
      model: 'gpt-5.5',
      asks: { stop_sequences: ['END'] },
      sends: { stop: ['END'] },
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-4-20250514',
      asks: { temperature: 0.1, top_p: 0.5 },
      sends: { temperature: 0.1, top_p: 0.5 },
    },
    {
      from: chat,
      to: messages,
      model: 'anthropic/claude-opus-4.7',
      asks: { temperature: 0.7, top_p: 1 },
      sends: { temperature: undefined, top_p: undefined },
      dropped: ['temperature'],
    },
    {
      from: gemini,
      to: messages,
      model: 'claude-sonnet-5',
      asks: config({ temperature: 1, topP: 0.95, topK: 64 }),
      sends: { temperature: undefined, top_p: undefined, top_k: undefined },
      dropped: ['generationConfig.topP', 'generationConfig.topK'],
    },
    {
      from: messages,
      to: chat,
      model: 'o3',
      asks: { temperature: 0.2 },
      sends: { temperature: undefined },
      dropped: ['temperature'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5-2025-08-07',
      asks: { temperature: 1, top_p: 0.9 },
      sends: { temperature: undefined, top_p: undefined },
      dropped: ['top_p'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5.1',
      asks: { temperature: 0.2 },
      sends: { temperature: 0.2 },
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5.1',
      asks: { temperature: 0.2, output_config: { effort: 'low' } },
      sends: { temperature: undefined, reasoning: { effort: 'low' } },
      dropped: ['temperature'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5.5',
      asks: { temperature: 0.2 },
      sends: { temperature: undefined },
      dropped: ['temperature'],
    },
    {
      from: chat,
      to: responses,
      model: 'gpt-5.5',
      asks: { temperature: 0.2, reasoning_effort: 'none' },
      sends: { temperature: 0.2, reasoning: { effort: 'none' } },
    },
    {
      from: messages,
      to: chat,
      model: 'gpt-4.1-mini',
      asks: { temperature: 0.2, top_p: 0.4 },
      sends: { temperature: 0.2, top_p: 0.4 },
    },
  ],
  'how much is reasoned': [
    {
      from: chat,
      to: messages,
      model: 'claude-haiku-4-5',
      asks: { reasoning_effort: 'low', max_tokens: 9_000 },
      sends: { thinking: { type: 'enabled', budget_tokens: 2_048 }, output_config: undefined },
      emulated: ['reasoning_effort'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-4-5-20250929',
      asks: { reasoning_effort: 'high', max_tokens: 64_000 },
      sends: { thinking: { type: 'enabled', budget_tokens: 16_384 } },
      emulated: ['reasoning_effort'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-3-5-haiku-20241022',
      asks: { reasoning_effort: 'low' },
      sends: { thinking: undefined, output_config: undefined },
      dropped: ['reasoning_effort'],
    },
    {
      from: gemini,
      to: messages,
      model: 'claude-opus-4-8',
      asks: thinks({ thinkingBudget: 8_192, includeThoughts: true }),
      sends: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
      emulated: [`${THINKS}.thinkingBudget`],
    },
    {
      from: gemini,
      to: messages,
      model: 'claude-fable-5',
      asks: thinks({ thinkingBudget: 0 }),
      sends: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      emulated: [`${THINKS}.thinkingBudget`],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-opus-4-8',
      asks: { reasoning_effort: 'none' },
      sends: { thinking: { type: 'disabled' } },
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-4-6',
      asks: { reasoning_effort: 'xhigh' },
      sends: { output_config: { effort: 'high' } },
      emulated: ['reasoning_effort'],
    },
    {
      from: gemini,
      to: messages,
      model: 'claude-sonnet-4-5',
      asks: {
        generationConfig: {
          maxOutputTokens: 8_192,
          thinkingConfig: { thinkingBudget: 8_191, includeThoughts: true },
        },
      },
      sends: budget(6_144),
      emulated: [`${THINKS}.thinkingBudget`],
    },
    {
      from: messages,
      to: gemini,
      model: 'gemini-2.5-pro',
      asks: { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      sends: {
        generationConfig: {
          maxOutputTokens: 20_000,
          thinkingConfig: { thinkingBudget: 32_768, includeThoughts: true },
        },
      },
      emulated: ['output_config.effort'],
    },
    {
      from: responses,
      to: gemini,
      model: 'models/gemini-2.5-flash',
      asks: { reasoning: { effort: 'xhigh' } },
      sends: thinks({ thinkingBudget: 24_576, includeThoughts: true }),
      emulated: ['reasoning.effort'],
    },
    {
      from: messages,
      to: gemini,
      model: 'gemini-2.5-flash',
      asks: { thinking: { type: 'adaptive' } },
      sends: {
        generationConfig: {
          maxOutputTokens: 20_000,
          thinkingConfig: { thinkingBudget: -1, includeThoughts: true },
        },
      },
    },
    {
      from: messages,
      to: gemini,
      model: 'gemini-3.5-flash',
      asks: { thinking: { type: 'adaptive' } },
      sends: {
        generationConfig: { maxOutputTokens: 20_000, thinkingConfig: { includeThoughts: true } },
      },
    },
    {
      from: chat,
      to: gemini,
      model: 'gemini-2.5-pro',
      asks: { reasoning_effort: 'none' },
      sends: thinks({ thinkingBudget: 128, includeThoughts: true }),
      emulated: ['reasoning_effort'],
    },
    {
      from: chat,
      to: gemini,
      model: 'gemini-2.0-flash',
      asks: { reasoning_effort: 'low' },
      sends: { generationConfig: undefined },
      dropped: ['reasoning_effort'],
    },
    {
      from: messages,
      to: gemini,
      model: 'gemini-3.1-pro-preview',
      asks: { thinking: { type: 'enabled', budget_tokens: 16_000 } },
      sends: {
        generationConfig: {
          maxOutputTokens: 20_000,
          thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
        },
      },
      emulated: ['thinking.budget_tokens'],
    },
    {
      from: chat,
      to: gemini,
      model: 'gemini-3-pro-preview',
      asks: { reasoning_effort: 'medium' },
      sends: thinks({ thinkingLevel: 'LOW', includeThoughts: true }),
      emulated: ['reasoning_effort'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5',
      asks: { thinking: { type: 'disabled' } },
      sends: { reasoning: { effort: 'minimal' } },
      emulated: ['thinking.type'],
    },
    {
      from: chat,
      to: responses,
      model: 'gpt-5.1',
      asks: { reasoning_effort: 'minimal' },
      sends: { reasoning: { effort: 'low' } },
      emulated: ['reasoning_effort'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5.6-sol',
      asks: { output_config: { effort: 'max' } },
      sends: { reasoning: { effort: 'xhigh' } },
      emulated: ['output_config.effort'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-4o',
      asks: { output_config: { effort: 'max' } },
      sends: { reasoning: undefined, include: undefined },
      dropped: ['output_config.effort'],
    },
    { from: messages, to: responses, model: 'gpt-5-chat-latest', asks: {}, sends: { include: undefined } },
    {
      from: messages,
      to: responses,
      model: 'gpt-5.5',
      asks: {},
      sends: { include: ['reasoning.encrypted_content'] },
    },
  ],
  'limits of output': [
    {
      from: messages,
      to: chat,
      model: 'mistral-large-latest',
      asks: {},
      sends: { max_tokens: 20_000, max_completion_tokens: undefined },
    },
    {
      from: messages,
      to: chat,
      model: 'mistralai/devstral-small-2512',
      asks: {},
      sends: { max_tokens: 20_000, max_completion_tokens: undefined },
    },
    {
      from: messages,
      to: chat,
      model: 'gpt-5',
      asks: {},
      sends: { max_tokens: undefined, max_completion_tokens: 20_000 },
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5',
      asks: { max_tokens: 1 },
      sends: { max_output_tokens: 16 },
      emulated: ['max_tokens'],
    },
    {
      from: messages,
      to: responses,
      model: 'gpt-5',
      asks: { max_tokens: 16 },
      sends: { max_output_tokens: 16 },
    },
  ],
  schemas: [
    {
      from: gemini,
      to: chat,
      model: 'deepseek-v4',
      asks: config({ responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } }),
      sends: { response_format: { type: 'json_object' } },
      emulated: ['generationConfig.responseSchema'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-3-7-sonnet-latest',
      asks: {
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
      },
      sends: { output_config: undefined },
      emulated: ['response_format'],
    },
  ],
  'JSON answers': [
    {
      from: gemini,
      to: messages,
      model: 'claude-sonnet-5',
      asks: config({
        responseSchema: { type: 'OBJECT', properties: { n: { type: 'INTEGER', minimum: 1 } } },
      }),
      sends: {
        output_config: {
          format: {
            type: 'json_schema',
            schema: {
              type: 'object',
              properties: { n: { type: 'integer', description: 'Must hold: minimum 1.' } },
              additionalProperties: false,
            },
          },
        },
      },
      emulated: ['generationConfig.responseSchema'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-5',
      asks: {
        tools: [
          {
            type: 'function',
            function: { name: 'f', strict: true, parameters: { type: 'object', properties: {} } },
          },
        ],
      },
      sends: {
        tools: [
          {
            name: 'f',
            strict: true,
            input_schema: { type: 'object', properties: {}, additionalProperties: false },
          },
        ],
      },
      emulated: ['tools'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-5',
      asks: {
        tools: [
          {
            type: 'function',
            function: { name: 'f', parameters: { type: 'object', properties: {}, minProperties: 1 } },
          },
        ],
      },
      sends: { tools: [{ name: 'f', input_schema: { type: 'object', properties: {}, minProperties: 1 } }] },
    },
    {
      from: gemini,
      to: chat,
      model: 'gpt-5.5',
      asks: config({ responseMimeType: 'application/json' }),
      sends: {
        response_format: { type: 'json_object' },
        messages: [
          { role: 'system', content: 'Answer with one JSON object and nothing else.' },
          { role: 'user', content: 'Hello.' },
        ],
      },
      emulated: ['generationConfig.responseMimeType'],
    },
    {
      from: gemini,
      to: chat,
      model: 'gpt-5.5',
      asks: {
        ...config({ responseMimeType: 'application/json' }),
        systemInstruction: { parts: [{ text: 'Speak Json.' }] },
      },
      sends: {
        messages: [
          { role: 'system', content: 'Speak Json.' },
          { role: 'user', content: 'Hello.' },
        ],
      },
    },
    {
      from: gemini,
      to: responses,
      model: 'gpt-5.5',
      asks: {
        ...config({ responseMimeType: 'application/json' }),
        systemInstruction: { parts: [{ text: 'Speak Json.' }] },
      },
      sends: {
        input: [
          {
            type: 'message',
            role: 'developer',
            content: [{ type: 'input_text', text: 'Answer with one JSON object and nothing else.' }],
          },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
        ],
      },
      emulated: ['generationConfig.responseMimeType'],
    },
  ],
  conversations: [
    {
      from: responses,
      to: chat,
      model: 'gpt-5.5',
      asks: { metadata: { a: 'b' } },
      sends: { metadata: undefined },
      dropped: ['metadata'],
    },
    {
      from: responses,
      to: chat,
      model: 'o3',
      asks: { metadata: { a: 'b' } },
      sends: { metadata: undefined },
      dropped: ['metadata'],
    },
    {
      from: chat,
      to: responses,
      model: 'gpt-5.5',
      asks: { metadata: { a: 'b' } },
      sends: { metadata: { a: 'b' } },
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-5',
      asks: { stop: ['\n', 'END'] },
      sends: { stop_sequences: ['END'] },
      dropped: ['stop'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-5',
      asks: { stop: '\n' },
      sends: { stop_sequences: undefined },
      dropped: ['stop'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-5',
      asks: {
        messages: [
          { role: 'system', content: ' \n' },
          { role: 'user', content: 'Hello.' },
        ],
      },
      sends: { system: undefined },
    },
    {
      from: chat,
      to: messages,
      model: 'claude-haiku-4-5',
      asks: {
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: 'It is \n' },
        ],
      },
      sends: {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'It is' }] },
        ],
      },
      emulated: ['words of the assistant at the end'],
    },
    {
      from: chat,
      to: messages,
      model: 'claude-sonnet-4-6',
      asks: {
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: 'It is' },
        ],
      },
      sends: {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'It is' }] },
          { role: 'user', content: [{ type: 'text', text: GO_ON }] },
        ],
      },
      emulated: ['words of the assistant at the end'],
    },
    ...([messages, responses] as const).map((to): DialectCase => ({
      from: chat,
      to,
      model: 'm',
      asks: {
        messages: [
          { role: 'user', content: 'Hello.' },
          {
            role: 'assistant',
            content: null,
            tool_calls: ['a', 'b'].map((id) => ({
              id,
              type: 'function',
              function: { name: 'f', arguments: '{}' },
            })),
          },
          { role: 'tool', tool_call_id: 'a', content: 'done' },
          { role: 'user', content: 'And?' },
        ],
      },
      sends: RESULTS[to],
      emulated: ['calls of tools without a result', ...(to === responses ? ['tool results'] : [])],
    })),
    {
      from: messages,
      to: chat,
      model: 'mistral-large-latest',
      asks: {
        messages: [
          { role: 'user', content: 'Hello.' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'f', input: {} }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'toolu_01A09q90qw90lq917835lq9', content: 'done' }],
          },
        ],
      },
      sends: {
        messages: [
          { role: 'user', content: 'Hello.' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: MISTRAL_ID, type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: MISTRAL_ID, content: 'done' },
        ],
      },
    },
    {
      from: messages,
      to: chat,
      model: 'mistral-large-latest',
      asks: { messages: toolTurns([{ type: 'text', text: 'And?' }]) },
      sends: {
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
          { role: 'tool', tool_call_id: CALL_ID, content: 'done' },
          { role: 'assistant', content: 'Done.' },
          { role: 'user', content: 'And?' },
        ],
      },
      emulated: ['words right after results of tools'],
    },
    {
      from: messages,
      to: chat,
      model: 'mistral-large-latest',
      asks: { messages: [...toolTurns([]), { role: 'system', content: 'Be brief.' }] },
      sends: {
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
          { role: 'tool', tool_call_id: CALL_ID, content: 'done\n\nBe brief.' },
        ],
      },
      emulated: ['words right after results of tools'],
    },
    {
      from: messages,
      to: chat,
      model: 'gpt-5.5',
      asks: { messages: toolTurns([{ type: 'text', text: 'And?' }]) },
      sends: {
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: null, tool_calls: [CHAT_CALL], reasoning_content: undefined },
          { role: 'tool', tool_call_id: CALL_ID, content: 'done' },
          { role: 'user', content: 'And?' },
        ],
      },
    },
    ...(
      [
        [chat, 'mistral-large-latest', 'messages'],
        [gemini, 'gemini-3.6-flash', 'contents'],
      ] as const
    ).map(([to, model, member]): DialectCase => ({
      from: messages,
      to,
      model,
      asks: { messages: PREFILL },
      sends: { [member]: [...PREFILLED[to], ASKED_TO_GO_ON[to]] },
      emulated: ['words of the assistant at the end'],
    })),
    {
      from: messages,
      to: chat,
      model: 'gpt-4o',
      asks: { messages: PREFILL },
      sends: { messages: PREFILLED[chat] },
    },
    {
      from: messages,
      to: gemini,
      model: 'gemini-3.5-flash',
      asks: { messages: PREFILL },
      sends: { contents: PREFILLED[gemini] },
    },
    ...(
      [
        ['deepseek-v4-pro', [], ' '],
        ['deepseek/deepseek-reasoner', [], ' '],
        ['deepseek-v4-pro', [{ type: 'thinking', thinking: 'Let me see.', signature: 'x' }], 'Let me see.'],
      ] as const
    ).map(([model, thinking, reasoning_content]): DialectCase => ({
      from: messages,
      to: chat,
      model,
      asks: { messages: toolTurns([], thinking) },
      sends: {
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: null, reasoning_content, tool_calls: [CHAT_CALL] },
          { role: 'tool', tool_call_id: CALL_ID, content: 'done' },
        ],
      },
      emulated: ['reasoning that earlier turns lack'],
    })),
    ...(
      [
        ['gpt-5.5', [{ type: 'custom', custom: { name: 'apply_patch', format: { type: 'text' } } }], []],
        ['deepseek-v4-pro', [{ type: 'function', function: APPLY_PATCH }], ['tools']],
        ['m', [{ type: 'function', function: APPLY_PATCH }], ['tools']],
      ] as const
    ).map(([model, tools, emulated]): DialectCase => ({
      from: responses,
      to: chat,
      model,
      asks: { tools: [{ type: 'custom', name: 'apply_patch' }] },
      sends: { tools },
      emulated,
    })),
    {
      from: messages,
      to: chat,
      model: 'deepseek-chat',
      asks: { messages: toolTurns([]) },
      sends: {
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: null, tool_calls: [CHAT_CALL] },
          { role: 'tool', tool_call_id: CALL_ID, content: 'done' },
        ],
      },
    },
  ],
};

/** Of what was sent the members that a case names, all the way down. */
const named = (sent: unknown, wanted: unknown): unknown =>
  isObject(sent) && isObject(wanted)
    ? Object.fromEntries(Object.keys(wanted).map((key) => [key, named(sent[key], wanted[key])]))
    : sent;

describe.each(Object.entries(CASES))('%s', (_what, cases) => {
  test.each(cases)('$from to $to, $model: $asks', ({ from, to, model, asks, sends, dropped, emulated }) => {
    const client = { body: { ...BODIES[from], ...asks }, upstreamModel: model, to: {} };
    const outcome = outcomeOf(convertCase(from, to, client));
    expect(outcome).toMatchObject({ dropped: dropped ?? [], emulated: emulated ?? [] });
    expect(named('request' in outcome ? outcome.request : undefined, sends)).toEqual(sends);
  });
});
