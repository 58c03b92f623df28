import { CLIENT_PROTOCOLS, type ClientProtocol, type Protocol } from '@tollgate/vocabulary';
import { isObject, listAt, objectAt, textAt } from '../json.ts';
import {
  toBytes,
  type CaseEvent,
  clientEvents,
  convertStreamed,
  convertWholeAnswer,
} from './golden/answer-cases.ts';

interface Upstream {
  readonly answer: Readonly<Record<string, unknown>>;
  readonly events: readonly CaseEvent[];
}

/** An answer of a text, or of a call, that ends with a format's word. */
const chat = (finish_reason: string, call = false): Upstream => {
  const tool_calls = [{ index: 0, id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }];
  const said = call ? { tool_calls } : { content: 'Hi.' };
  return {
    answer: { id: '1', choices: [{ index: 0, message: said, finish_reason }] },
    events: [
      { id: '1', choices: [{ index: 0, delta: said }] },
      { id: '1', choices: [{ index: 0, delta: {}, finish_reason }] },
      '[DONE]',
    ],
  };
};

const responses = (status: string, reason: string | null = null, call = false): Upstream => {
  const item = call
    ? { type: 'function_call', call_id: 'a', name: 'now', arguments: '{}' }
    : { type: 'message', content: [{ type: 'output_text', text: 'Hi.' }] };
  const answer = { id: 'resp_1', status, incomplete_details: reason && { reason }, output: [item] };
  return {
    answer,
    events: [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'Hi.' },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: `response.${status}`, response: answer },
    ],
  };
};

const messages = (stop_reason: string, call = false, stop_sequence: string | null = null): Upstream => {
  const block = call ? { type: 'tool_use', id: 'a', name: 'now', input: {} } : { type: 'text', text: 'Hi.' };
  return {
    answer: { id: 'msg_1', content: [block], stop_reason, stop_sequence },
    events: [
      { type: 'message_start', message: { id: 'msg_1' } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence } },
      { type: 'message_stop' },
    ],
  };
};

const gemini = (finishReason: string, call = false): Upstream => {
  const part = call ? { functionCall: { name: 'now', args: {} } } : { text: 'Hi.' };
  const answer = { candidates: [{ content: { parts: [part] }, finishReason }], responseId: '1' };
  return { answer, events: [answer] };
};

const converse = (stopReason: string, call = false, stop_sequence?: string): Upstream => {
  const ending = {
    stopReason,
    ...(stop_sequence ? { additionalModelResponseFields: { stop_sequence } } : {}),
  };
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const toolUse = { toolUseId: 'c', name: 'now' };
  const content = [call ? { toolUse: { ...toolUse, input: {} } } : { text: 'Hi.' }];
  const start = { contentBlockStart: { contentBlockIndex: 0, start: { toolUse } } };
  const piece = { contentBlockIndex: 0, delta: call ? { toolUse: { input: '{}' } } : { text: 'Hi.' } };
  return {
    answer: { output: { message: { role: 'assistant', content } }, ...ending, usage },
    events: [
      { messageStart: { role: 'assistant' } },
      ...(call ? [start] : []),
      { contentBlockDelta: piece },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: ending },
      { metadata: {} },
    ],
  };
};

type Ends = Readonly<Record<ClientProtocol, string>>;
const ends = (chatEnd: string, responsesEnd: string, messagesEnd: string, geminiEnd: string): Ends => ({
  'openai-chat': chatEnd,
  'openai-responses': responsesEnd,
  'anthropic-messages': messagesEnd,
  gemini: geminiEnd,
});
const STOP = ends('stop', 'completed', 'end_turn', 'STOP');
const SEQUENCE = ends('stop', 'completed', 'stop_sequence END', 'STOP');
const CALLS = ends('tool_calls', 'completed', 'tool_use', 'STOP');
const LENGTH = ends('length', 'incomplete max_output_tokens', 'max_tokens', 'MAX_TOKENS');
const WINDOW = { ...LENGTH, 'anthropic-messages': 'model_context_window_exceeded' };
const FILTER = ends('content_filter', 'incomplete content_filter', 'refusal', 'SAFETY');
const PAUSE = ends('stop', 'incomplete max_output_tokens', 'pause_turn', 'STOP');

const ROWS: readonly (readonly [Protocol, string, Upstream, Ends])[] = [
  ['openai-chat', 'stop', chat('stop'), STOP],
  ['openai-chat', 'a word of its own', chat('eos'), STOP],
  ['openai-chat', 'stop with a call', chat('stop', true), CALLS],
  ['openai-chat', 'tool_calls', chat('tool_calls', true), CALLS],
  ['openai-chat', 'function_call', chat('function_call', true), CALLS],
  ['openai-chat', 'length', chat('length'), LENGTH],
  ['openai-chat', 'length with a call', chat('length', true), LENGTH],
  ['openai-chat', 'content_filter', chat('content_filter'), FILTER],
  ['openai-responses', 'completed', responses('completed'), STOP],
  ['openai-responses', 'completed with a call', responses('completed', null, true), CALLS],
  ['openai-responses', 'max_output_tokens', responses('incomplete', 'max_output_tokens'), LENGTH],
  ['openai-responses', 'incomplete', responses('incomplete'), LENGTH],
  ['openai-responses', 'content_filter', responses('incomplete', 'content_filter'), FILTER],
  ['anthropic-messages', 'end_turn', messages('end_turn'), STOP],
  ['anthropic-messages', 'end_turn with a call', messages('end_turn', true), CALLS],
  ['anthropic-messages', 'tool_use', messages('tool_use', true), CALLS],
  ['anthropic-messages', 'stop_sequence', messages('stop_sequence', false, 'END'), SEQUENCE],
  ['anthropic-messages', 'max_tokens', messages('max_tokens'), LENGTH],
  ['anthropic-messages', 'a full window', messages('model_context_window_exceeded'), WINDOW],
  ['anthropic-messages', 'refusal', messages('refusal'), FILTER],
  ['anthropic-messages', 'pause_turn', messages('pause_turn'), PAUSE],
  ['anthropic-messages', 'a word of its own', messages('novelty'), STOP],
  ['bedrock-converse', 'end_turn', converse('end_turn'), STOP],
  ['bedrock-converse', 'end_turn with a call', converse('end_turn', true), CALLS],
  ['bedrock-converse', 'tool_use', converse('tool_use', true), CALLS],
  ['bedrock-converse', 'stop_sequence', converse('stop_sequence', false, 'END'), SEQUENCE],
  ['bedrock-converse', 'max_tokens', converse('max_tokens'), LENGTH],
  ['bedrock-converse', 'a full window', converse('model_context_window_exceeded'), WINDOW],
  ['bedrock-converse', 'guardrail_intervened', converse('guardrail_intervened'), FILTER],
  ['bedrock-converse', 'content_filtered', converse('content_filtered'), FILTER],
  ['bedrock-converse', 'a word of its own', converse('novelty'), STOP],
  ['gemini', 'STOP', gemini('STOP'), STOP],
  ['gemini', 'STOP with a call', gemini('STOP', true), CALLS],
  ['gemini', 'MAX_TOKENS', gemini('MAX_TOKENS'), LENGTH],
  ['gemini', 'CONTINUATION', gemini('CONTINUATION'), PAUSE],
  ...['OTHER', 'LANGUAGE', 'NO_IMAGE'].map((word) => ['gemini', word, gemini(word), STOP] as const),
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'].map(
    (word) => ['gemini', word, gemini(word), FILTER] as const,
  ),
  ...['MODEL_ARMOR', 'ESCALATION', 'PUP_LIMITED_DISABLED'].map(
    (word) => ['gemini', word, gemini(word), FILTER] as const,
  ),
];

/** The words for the end of an answer in what a client got: a whole answer, or one event. */
function endOf(protocol: ClientProtocol, ending: unknown): string {
  const response = objectAt(ending, 'response') ?? ending;
  const delta = objectAt(ending, 'delta') ?? ending;
  const words = {
    'openai-chat': () => [textAt(listAt(ending, 'choices')[0], 'finish_reason')],
    'openai-responses': () => [
      textAt(response, 'status') || 'completed',
      textAt(objectAt(response, 'incomplete_details'), 'reason'),
    ],
    'anthropic-messages': () => [textAt(delta, 'stop_reason'), textAt(delta, 'stop_sequence')],
    gemini: () => [textAt(listAt(ending, 'candidates')[0], 'finishReason')],
  };
  return words[protocol]().join(' ').trim();
}

const isEnd = (event: unknown): boolean =>
  isObject(event) && !['message_stop', 'content_block_stop'].includes(textAt(event, 'type'));

describe.each(ROWS)('%s: %s', (to, _, upstream, expected) => {
  const clients = CLIENT_PROTOCOLS.filter((from) => from !== to);

  test.each(clients)('ends a whole answer for %s', (from) => {
    expect(endOf(from, convertWholeAnswer({ from, to, upstream: { ...upstream, to: {} } }))).toBe(
      expected[from],
    );
  });

  test.each(clients)('ends a stream for %s', (from) => {
    const pair = { from, to, upstream: { ...upstream, to: {} } };
    const events = clientEvents(convertStreamed(pair, [toBytes(to, upstream.events)]));
    expect(endOf(from, events.findLast(isEnd))).toBe(expected[from]);
  });
});

test.each([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
])('gemini: %s is an error for everybody', (word) => {
  const upstream = { ...gemini(word), to: {} };
  for (const from of CLIENT_PROTOCOLS.filter((protocol) => protocol !== 'gemini')) {
    expect(convertWholeAnswer({ from, to: 'gemini', upstream })).toEqual({ refused: expect.any(String) });
    const bytes = convertStreamed({ from, to: 'gemini', upstream }, [toBytes('gemini', upstream.events)]);
    expect(bytes).toContain('cannot be read');
  }
});
