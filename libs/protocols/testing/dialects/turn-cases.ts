import { createHash } from 'node:crypto';
import type { JsonObject } from '../../src/json.ts';
import { type DialectCase, chat, responses, messages, gemini } from './dialect-case.ts';

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

export const TURNS: readonly DialectCase[] = [
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
    emulated: ['max_tokens'],
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
      ['gpt-5.1', [{ type: 'custom', custom: { name: 'apply_patch', format: { type: 'text' } } }], []],
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
];
