import type { Answer, SimulatedUsage } from '../answer.ts';
import { billMessages } from '../bill/billed.ts';
import { field, isSaid, isObject, list, findText } from '../question.ts';
import { MESSAGES_RULES } from '../rules/anthropic-messages.ts';
import { thinks } from '../rules/anthropic-thinking.ts';
import { refuseBy } from '../rules/rule.ts';
import {
  readAskedExtras,
  writeContainer,
  hostedBlocks,
  servedAs,
  tellable,
  toolUse,
} from './messages-tools.ts';
import { bearer, type Format, halves, type StreamEvent, type TypedEvent } from './format.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const stopReason = ({ calls, finish }: Answer) =>
  calls.length > 0 ? 'tool_use' : { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' }[finish];

const inputUsage = (usage: SimulatedUsage) => ({
  input_tokens: usage.input - usage.cacheRead - usage.cacheWrite - usage.cacheWrite1h,
  cache_creation_input_tokens: usage.cacheWrite + usage.cacheWrite1h,
  cache_read_input_tokens: usage.cacheRead,
  cache_creation: {
    ephemeral_5m_input_tokens: usage.cacheWrite,
    ephemeral_1h_input_tokens: usage.cacheWrite1h,
  },
});

const outputUsage = (usage: SimulatedUsage) => ({
  output_tokens: usage.output,
  ...(usage.reasoning ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
});

const NO_USAGE = { input_tokens: 0, output_tokens: 0 };

function messageOf(answer: Answer, content: object[], usage: object, stop: string | null) {
  return {
    id: `msg_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content,
    stop_reason: stop,
    stop_sequence: null,
    ...(stop === null ? {} : writeContainer(answer)),
    usage: { ...usage, ...(stop === null ? {} : toolUse(answer)), ...servedAs(answer) },
  };
}

/** The blocks of an answer: its empty start, its deltas and itself, whole. */
function blocksOf(answer: Answer): { start: object; deltas: object[]; whole: object }[] {
  const signature = answer.reasoningState;
  const thinking = answer.reasoning
    ? [
        {
          start: { type: 'thinking', thinking: '', signature: '' },
          deltas: [
            { type: 'thinking_delta', thinking: answer.reasoning },
            { type: 'signature_delta', signature },
          ],
          whole: { type: 'thinking', thinking: answer.reasoning, signature },
        },
      ]
    : [];
  const text =
    answer.calls.length > 0
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: answer.pieces.map((piece) => ({ type: 'text_delta', text: piece })),
            whole: { type: 'text', text: answer.text },
          },
        ];
  const calls = answer.calls.map(({ id, name, args }) => ({
    start: { type: 'tool_use', id: `toolu_${id}`, name, input: {} },
    deltas: halves(JSON.stringify(args)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    whole: { type: 'tool_use', id: `toolu_${id}`, name, input: args },
  }));
  return [...thinking, ...hostedBlocks(answer), ...text, ...calls];
}

/** Anthropic Messages. */
export const anthropicMessages: Format = {
  refuse: refuseBy(MESSAGES_RULES),
  stateOwner: () => ({ vendor: 'anthropic' }),
  read(body) {
    const messages = list(body['messages']);
    if (messages.length === 0) throw new Error('messages: Field required');
    const users = messages.filter((message) => field(message, 'role') === 'user');
    const last = list(field(messages.filter(isSaid).at(-1), 'content')).filter(
      (block) => field(block, 'type') === 'tool_result',
    );
    const choice = field(body['tool_choice'], 'type');
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      includeUsage: true,
      texts: [findText(body['system']), ...messages.map((message) => findText(field(message, 'content')))],
      lastUserText: findText(field(users.at(-1), 'content')),
      toolResult:
        last.length > 0 ? last.map((block) => findText(field(block, 'content'))).join(' ') : undefined,
      tools: list(body['tools'])
        .filter((tool) => isObject(field(tool, 'input_schema')))
        .map((tool) => ({ name: String(field(tool, 'name')), schema: field(tool, 'input_schema') })),
      asked: readAskedExtras(body),
      toolForced: choice === 'any' || choice === 'tool',
      reasoning: thinks(body['thinking']),
    };
  },
  whole: (answer) =>
    messageOf(
      answer,
      blocksOf(answer).map(({ whole }) => whole),
      answer.usage ? { ...inputUsage(answer.usage), ...outputUsage(answer.usage) } : NO_USAGE,
      stopReason(answer),
    ),
  events(answer) {
    const { usage } = answer;
    const startUsage = usage ? { ...inputUsage(usage), output_tokens: 1 } : NO_USAGE;
    const events: TypedEvent[] = [
      { type: 'message_start', message: messageOf(answer, [], startUsage, null) },
      ...blocksOf(answer).flatMap(({ start, deltas }, index) => [
        { type: 'content_block_start', index, content_block: start },
        ...(index === 0 ? [{ type: 'ping' }] : []),
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null, ...writeContainer(answer) },
        usage: { ...(usage ? outputUsage(usage) : { output_tokens: 0 }), ...toolUse(answer) },
      },
      { type: 'message_stop' },
    ];
    return events.map((event): StreamEvent => ({ name: event.type, data: event }));
  },
  tellable,
  bill: billMessages,
  terminator: '',
  error: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_simulator',
  }),
  credential: (headers) =>
    typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : bearer(headers),
  countTokens: (words) => ({ input_tokens: words }),
};
