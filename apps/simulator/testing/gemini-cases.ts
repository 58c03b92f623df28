import { reasoningState } from '../src/reasoning-state.ts';
import type { RuleCase } from './rule-cases.ts';

const user = { role: 'user', parts: [{ text: 'Hello' }] };
const says = (...contents: object[]) => ({ contents });
const model = (...parts: object[]) => ({ role: 'model', parts });
const call = (more: object = {}) => ({ functionCall: { name: 'look', args: {} }, ...more });
const results = (count = 1) => ({
  role: 'user',
  parts: Array.from({ length: count }, () => ({ functionResponse: { name: 'look', response: {} } })),
});
const shows = (mimeType: string) =>
  says({ role: 'user', parts: [{ text: 'What is it?' }, { inlineData: { mimeType, data: 'AAAA' } }] });
const config = (of: object) => ({ generationConfig: of });
const thinks = (of: object) => config({ thinkingConfig: of });
const declares = (of: object) => ({ tools: [{ functionDeclarations: [{ name: 'look', ...of }] }] });
const chooses = (mode: string) => ({ functionCallingConfig: { mode, allowedFunctionNames: ['look'] } });
const own = reasoningState('1', { vendor: 'google', account: 'test' });
const signed = call({ thoughtSignature: own });
const others = reasoningState('1', { vendor: 'google', account: 'other' });

export const GEMINI_CASES: readonly RuleCase[] = [
  {
    rule: 'unknown-name',
    bad: config({ topK: 40, max_tokens: 5 }),
    good: config({ topK: 40, max_output_tokens: 5 }),
    says: `Invalid JSON payload received. Unknown name "max_tokens" at 'generation_config': Cannot find field.`,
  },
  {
    rule: 'unknown-name',
    bad: { ...says(user, model({ text: 'Hi', cache: 1 }), user), metadata: {} },
    good: says(user, model({ text: 'Hi', thought: true }), user),
    says: `Invalid JSON payload received. Unknown name "cache" at 'contents[1].parts[0]': Cannot find field.\nInvalid JSON payload received. Unknown name "metadata": Cannot find field.`,
  },
  {
    rule: 'unknown-name',
    bad: declares({ parameters: { type: 'OBJECT', properties: { a: { anyOf: [{ const: 1 }] } } } }),
    good: declares({ parametersJsonSchema: { type: 'object', properties: { a: { const: 1 } } } }),
    says: `Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[0].value.any_of[0]': Cannot find field.`,
  },
  {
    rule: 'stops',
    bad: config({ stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] }),
    good: config({ stopSequences: ['a', 'b', 'c', 'd', 'e'] }),
    says: '* GenerateContentRequest.generation_config.stop_sequences: the number of stop_sequences must not exceed 5\n',
  },
  {
    rule: 'allowed-names',
    bad: { ...declares({}), toolConfig: chooses('AUTO') },
    good: { ...declares({}), toolConfig: chooses('VALIDATED') },
    says: 'Please set allowed_function_names only when function calling mode is ANY.',
  },
  {
    rule: 'allowed-names',
    bad: { ...declares({}), tool_config: { function_calling_config: { allowed_function_names: ['look'] } } },
    good: { ...declares({}), toolConfig: chooses('any') },
    says: 'Please set allowed_function_names only when function calling mode is ANY.',
  },
  {
    rule: 'function-names',
    bad: declares({ name: '1st' }),
    good: declares({ name: '_1st.a:b-c' }),
    says: /^\* GenerateContentRequest\.tools\[0\]\.function_declarations\[0\]\.name: Invalid function name\./,
  },
  {
    rule: 'two-schemas',
    bad: declares({ parameters: { type: 'OBJECT' }, parametersJsonSchema: { type: 'object' } }),
    good: declares({ parameters: { type: 'OBJECT' } }),
    says: /only one of parameters and parameters_json_schema may be set/,
  },
  {
    rule: 'functions-with-json',
    model: 'gemini-2.5-flash',
    bad: { ...declares({}), ...config({ responseMimeType: 'application/json' }) },
    good: config({ responseMimeType: 'application/json' }),
    says: "Function calling with a response mime type: 'application/json' is unsupported",
  },
  {
    rule: 'image-types',
    bad: shows('image/jpg'),
    good: shows('image/jpeg'),
    says: 'Unsupported MIME type: image/jpg',
  },
  {
    rule: 'temperature-range',
    bad: config({ temperature: 2.1 }),
    good: config({ temperature: 2 }),
    says: /temperature must be in the range \[0\.0, 2\.0\]/,
  },
  {
    rule: 'penalties',
    model: 'gemini-3-flash-preview',
    bad: config({ frequencyPenalty: 0.5 }),
    good: config({ frequencyPenalty: 0 }),
    says: 'Penalty is not enabled for this model',
  },
  {
    rule: 'thinking-none',
    model: 'gemini-2.0-flash',
    bad: thinks({ includeThoughts: true }),
    good: {},
    says: 'thinking_config is not supported.',
  },
  {
    rule: 'thinking-both',
    model: 'gemini-3-flash-preview',
    bad: thinks({ thinkingLevel: 'LOW', thinkingBudget: 1_024 }),
    good: thinks({ thinkingLevel: 'LOW' }),
    says: 'You can only set only one of thinking budget and thinking level.',
  },
  {
    rule: 'thinking-level',
    model: 'gemini-2.5-flash',
    bad: thinks({ thinkingLevel: 'HIGH' }),
    good: thinks({ thinkingBudget: 8_192 }),
    says: 'Thinking level is not supported for this model.',
  },
  {
    rule: 'thinking-level',
    model: 'gemini-3.1-pro-preview',
    bad: thinks({ thinking_level: 'minimal' }),
    good: thinks({ thinking_level: 'low' }),
    says: /^Thinking level MINIMAL is not supported for this model\./,
  },
  {
    rule: 'thinking-budget',
    model: 'gemini-2.5-pro',
    bad: thinks({ thinkingBudget: 0 }),
    good: thinks({ thinkingBudget: -1 }),
    says: 'Budget 0 is invalid. This model only works in thinking mode.',
  },
  {
    rule: 'thinking-budget',
    model: 'gemini-2.5-flash',
    bad: thinks({ thinkingBudget: 32_768 }),
    good: thinks({ thinkingBudget: 0 }),
    says: 'The thinking budget 32768 is invalid. Please choose a value between 0 and 24576.',
  },
  {
    rule: 'roles',
    bad: says({ role: 'assistant', parts: [{ text: 'Hi' }] }),
    good: says({ parts: [{ text: 'Hi' }] }),
    says: 'Please use a valid role: user, model.',
  },
  {
    rule: 'empty-parts',
    bad: says(user, { role: 'model', parts: [] }, user),
    good: says(user, model({ text: 'Hi' }), user),
    says: '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
  },
  {
    rule: 'empty-parts',
    bad: says({ role: 'user', parts: [{}] }),
    good: says({ role: 'user', parts: [{ text: '' }] }),
    says: /required oneof field 'data' must have one initialized field/,
  },
  {
    rule: 'call-turns',
    bad: says(model(call()), results()),
    good: says(user, model(signed), results()),
    says: 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  },
  {
    rule: 'result-turns',
    bad: says(user, model({ text: 'Hi' }), results()),
    good: says(user, model({ text: 'Hi' }, signed), results()),
    says: 'Please ensure that function response turn comes immediately after a function call turn.',
  },
  {
    rule: 'results-counted',
    bad: says(user, model(call(), call()), results(1)),
    good: says(user, model(signed, call()), results(2)),
    says: 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  },
  {
    rule: 'results-counted',
    bad: says(user, model(call()), user),
    good: says(user, model(signed), model(call()), results(2)),
    says: /^Please ensure that the number of function response parts/,
  },
  {
    rule: 'model-last',
    model: 'gemini-3.6-flash',
    bad: says(user, model({ text: 'It' })),
    good: says(user, model({ text: 'It' }), user),
    says: 'Requests ending with a model turn are not supported.',
  },
  {
    rule: 'signature-foreign',
    bad: says(user, model(call({ thoughtSignature: others })), results()),
    good: says(user, model(signed), results()),
    says: 'Corrupted thought signature.',
  },
  {
    rule: 'signature-missing',
    bad: { ...thinks({ thinkingLevel: 'LOW' }), ...says(user, model(call()), results()) },
    good: {
      ...thinks({ thinkingLevel: 'LOW' }),
      ...says(user, model(call({ thoughtSignature: 'skip_thought_signature_validator' })), results()),
    },
    says: /^Function call is missing a thought_signature in functionCall parts\..*`default_api:look`/,
  },
  {
    rule: 'signature-missing',
    bad: says(user, model(call()), results(), model(signed), results()),
    good: says(user, model(call()), results(), user, model(signed), results()),
    says: /`default_api:look` , position 2\./,
  },
];
