import type { JsonObject } from '../../src/json.ts';
import { chat, type DialectCase, gemini, messages, responses } from './dialect-case.ts';

const LIST = { type: 'object', properties: { all: { type: 'array' } } };
const WHOLE_LIST = { type: 'object', properties: { all: { type: 'array', items: {} } } };
const OPEN = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
const CLOSED = { ...OPEN, required: ['n'] };

const BY = [
  { properties: { id: { type: 'string' }, n: { type: 'string' } }, required: ['id'] },
  { properties: { name: { type: 'string' } }, required: ['name'] },
];
const EITHER = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], oneOf: BY };
const EITHER_IN_WORDS = (member: string): JsonObject => ({
  description: `The arguments must hold: oneOf ${JSON.stringify(BY)}.`,
  [member]: {
    type: 'object',
    properties: { id: { type: 'string' }, n: { type: 'integer' }, name: { type: 'string' } },
    required: ['n'],
  },
});

const chatTool = (name: string): JsonObject => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
});
const anthropicTool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  input_schema: { type: 'object', properties: {} },
  ...more,
});
const someOf = (mode: string): JsonObject => ({
  tools: ['a', 'b'].map((name) => ({ type: 'function', name, parameters: anthropicTool('').input_schema })),
  tool_choice: { type: 'allowed_tools', mode, tools: [{ type: 'function', name: 'b' }] },
});
const strictTool = (strict: boolean, parameters: JsonObject): JsonObject => ({
  tools: [{ type: 'function', function: { name: 'a', strict, parameters } }],
});
const REFUSED = [
  { role: 'user', content: 'Hello.' },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
  { role: 'user', content: 'Why?' },
];
const refusing = (message: JsonObject): readonly JsonObject[] => [
  { role: 'user', content: 'Hello.' },
  { role: 'assistant', ...message },
  { role: 'user', content: 'Why?' },
];
const DUPLICATE_CALL = { id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } };
const ASKED = 'Answer with one JSON object and nothing else.';

/** What tools are like, and what a model is told to do with them. */
export const TOOLS: readonly DialectCase[] = [
  {
    from: messages,
    to: chat,
    model: 'gpt-5.1',
    asks: { tools: [anthropicTool('a', { input_schema: LIST })] },
    sends: { tools: [{ type: 'function', function: { name: 'a', parameters: WHOLE_LIST } }] },
    emulated: ['tools'],
  },
  {
    from: messages,
    to: responses,
    model: 'gpt-5.5',
    asks: { tools: [anthropicTool('a', { input_schema: LIST })] },
    sends: { tools: [{ type: 'function', name: 'a', strict: false, parameters: WHOLE_LIST }] },
    emulated: ['tools'],
  },
  {
    from: gemini,
    to: chat,
    model: 'gpt-4o',
    asks: { tools: [{ functionDeclarations: [{ name: 'a', parametersJsonSchema: EITHER }] }] },
    sends: { tools: [{ type: 'function', function: { name: 'a', ...EITHER_IN_WORDS('parameters') } }] },
    emulated: ['tools'],
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: { tools: [{ type: 'function', function: { name: 'a', parameters: EITHER } }] },
    sends: { tools: [{ name: 'a', ...EITHER_IN_WORDS('input_schema') }] },
    emulated: ['tools'],
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: { tools: [{ type: 'function', function: { name: 'a', parameters: EITHER } }] },
    sends: { tools: [{ functionDeclarations: [{ name: 'a', parametersJsonSchema: EITHER }] }] },
  },
  {
    from: chat,
    to: messages,
    model: 'claude-sonnet-5',
    asks: { tools: [{ type: 'function', function: { name: 'a', parameters: LIST } }] },
    sends: { tools: [anthropicTool('a', { input_schema: LIST })] },
  },
  {
    from: messages,
    to: chat,
    model: 'gpt-5.1',
    asks: { tools: [anthropicTool('a', { input_schema: OPEN, strict: true })] },
    sends: strictTool(false, OPEN),
    emulated: ['tools'],
  },
  {
    from: messages,
    to: chat,
    model: 'gpt-5.1',
    asks: { tools: [anthropicTool('a', { input_schema: CLOSED, strict: true })] },
    sends: strictTool(true, CLOSED),
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: { tools: [chatTool('a'), chatTool('b'), chatTool('a')] },
    sends: {
      tools: [
        {
          functionDeclarations: ['a', 'b'].map((name) => ({
            name,
            parametersJsonSchema: { type: 'object', properties: {} },
          })),
        },
      ],
    },
    dropped: ['tools of the same name'],
  },
  {
    from: responses,
    to: chat,
    model: 'mistral-large-latest',
    asks: someOf('required'),
    sends: { tools: [chatTool('b')], tool_choice: 'required' },
    emulated: ['tool_choice'],
  },
  {
    from: responses,
    to: chat,
    model: 'gpt-5.1',
    asks: someOf('auto'),
    sends: {
      tools: [chatTool('a'), chatTool('b')],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'b' } }] },
      },
    },
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-2.5-flash',
    asks: {
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: null, tool_calls: [DUPLICATE_CALL, DUPLICATE_CALL] },
        { role: 'tool', tool_call_id: 'c', content: 'one' },
        { role: 'tool', tool_call_id: 'c', content: 'two' },
      ],
    },
    sends: {
      contents: [
        { role: 'user', parts: [{ text: 'Hello.' }] },
        {
          role: 'model',
          parts: [1, 2].map(() => ({ functionCall: { id: 'c', name: 'a', args: {} } })),
        },
        {
          role: 'user',
          parts: ['one', 'two'].map((output) => ({
            functionResponse: { id: 'c', name: 'a', response: { output } },
          })),
        },
      ],
    },
  },
  {
    from: responses,
    to: chat,
    model: 'mistral-large-latest',
    asks: { input: REFUSED },
    sends: { messages: refusing({ content: 'I will not.' }) },
  },
  {
    from: responses,
    to: chat,
    model: 'gpt-4o',
    asks: { input: REFUSED },
    sends: { messages: refusing({ content: null, refusal: 'I will not.' }) },
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-2.5-flash',
    asks: { tools: [chatTool('a')], response_format: { type: 'json_object' } },
    sends: { generationConfig: undefined, systemInstruction: { role: 'user', parts: [{ text: ASKED }] } },
    emulated: ['response_format'],
  },
  {
    from: chat,
    to: gemini,
    model: 'gemini-3.5-flash',
    asks: { tools: [chatTool('a')], response_format: { type: 'json_object' } },
    sends: { generationConfig: { responseMimeType: 'application/json' }, systemInstruction: undefined },
  },
];
