import type { Answer, SimulatedUsage } from '../answer.ts';
import { billResponses } from '../bill/billed.ts';
import { field, isSaid, isObject, list, findText, trailing } from '../question.ts';
import { RESPONSES_RULES } from '../rules/openai-responses.ts';
import { refuseBy } from '../rules/rule.ts';
import { bearer, CREATED, type Format, halves, type StreamEvent, type TypedEvent } from './format.ts';
import { openaiError } from './openai-error.ts';
import {
  readAskedExtras,
  codeContainer,
  hostedItems,
  hostedPartEvents,
  tellable,
  writeTools,
  writeToolUsage,
} from './responses-tools.ts';
import { writeTier } from './openai-tiers.ts';
import { keepResponse, resolveResponses } from './responses-state.ts';

const usageOf = (usage: SimulatedUsage, { cost }: Answer['extras']) => ({
  input_tokens: usage.input,
  input_tokens_details: {
    cached_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h,
    ...(usage.cacheWrite1h ? { cache_write_tokens_details: { ttl_12h_tokens: usage.cacheWrite1h } } : {}),
  },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: usage.input + usage.output,
  ...(cost === undefined ? {} : { cost }),
});

const partOf = (answer: Answer, text: string) =>
  answer.finish === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: text === '' ? [] : annotationsOf(answer), logprobs: [] };

/** A file that the code wrote. */
const annotationsOf = (answer: Answer): object[] =>
  answer.extras.containers > 0
    ? [
        {
          type: 'container_file_citation',
          container_id: codeContainer(answer, 0),
          file_id: `cfile_${answer.id}`,
          filename: 'out.csv',
          start_index: 0,
          end_index: 0,
        },
      ]
    : [];

/** The output items, whole. */
function itemsOf(answer: Answer): Record<string, unknown>[] {
  return [
    ...(answer.reasoning
      ? [
          {
            id: `rs_${answer.id}`,
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: answer.reasoning }],
            encrypted_content: answer.reasoningState,
          },
        ]
      : []),
    ...hostedItems(answer),
    ...(answer.calls.length === 0
      ? [
          {
            id: `msg_${answer.id}`,
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [partOf(answer, answer.text)],
          },
        ]
      : []),
    ...answer.calls.map(({ id, name, args }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: 'completed',
    })),
  ];
}

/** An answer as far as it is. */
export function writeResponse(answer: Answer, status: string, output: object[]) {
  const done = status !== 'in_progress' && status !== 'queued';
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: CREATED,
    status,
    background: false,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    max_output_tokens: null,
    model: answer.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: writeTools(answer),
    top_p: 1,
    truncation: 'disabled',
    usage: done && answer.usage ? usageOf(answer.usage, answer.extras) : null,
    ...(done ? writeToolUsage(answer) : {}),
    ...writeTier(answer),
    user: null,
    metadata: {},
  };
}

/** The events of one item between its `added` and its `done`. */
function partsOf(item: Record<string, unknown>, output_index: number, answer: Answer): TypedEvent[] {
  const at = { item_id: item['id'], output_index };
  if (item['type'] === 'message') {
    const part = { ...at, content_index: 0 };
    const [kind, logprobs] =
      answer.finish === 'refusal' ? ['refusal', {}] : ['output_text', { logprobs: [] as const }];
    const whole = answer.finish === 'refusal' ? { refusal: answer.text } : { text: answer.text };
    return [
      { type: 'response.content_part.added', ...part, part: partOf(answer, '') },
      ...answer.pieces.map((delta) => ({ type: `response.${kind}.delta`, ...part, delta, ...logprobs })),
      { type: `response.${kind}.done`, ...part, ...whole, ...logprobs },
      { type: 'response.content_part.done', ...part, part: partOf(answer, answer.text) },
    ];
  }
  if (item['type'] === 'reasoning') {
    const part = { ...at, summary_index: 0 };
    const text = answer.reasoning;
    return [
      {
        type: 'response.reasoning_summary_part.added',
        ...part,
        part: { type: 'summary_text', text: '' },
      },
      { type: 'response.reasoning_summary_text.delta', ...part, delta: text },
      { type: 'response.reasoning_summary_text.done', ...part, text },
      { type: 'response.reasoning_summary_part.done', ...part, part: { type: 'summary_text', text } },
    ];
  }
  if (item['type'] !== 'function_call') return hostedPartEvents(item, output_index);
  return [
    ...halves(String(item['arguments'])).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...at,
      delta,
    })),
    {
      type: 'response.function_call_arguments.done',
      ...at,
      name: item['name'],
      arguments: item['arguments'],
    },
  ];
}

const emptied = (item: Record<string, unknown>) => ({
  ...item,
  ...(item['type'] === 'message' ? { status: 'in_progress', content: [] } : {}),
  ...(item['type'] === 'reasoning' ? { summary: [], encrypted_content: undefined } : {}),
  ...(item['type'] === 'image_generation_call' ? { status: 'in_progress', result: null } : {}),
  ...(item['type'] === 'function_call' ? { status: 'in_progress', arguments: '' } : {}),
});

/** OpenAI Responses. */
export const openaiResponses: Format = {
  refuse: refuseBy(RESPONSES_RULES),
  stateOwner: (account) => ({ vendor: 'openai', account }),
  resolve: resolveResponses,
  keep: keepResponse,
  read(body) {
    const input = body['input'];
    if (input === undefined) throw new Error("Missing required parameter: 'input'.");
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
    const results = trailing(items.filter(isSaid), (item) =>
      /_call_output$/.test(String(field(item, 'type'))),
    );
    const users = items.filter((item) => field(item, 'role') === 'user');
    const instructions = body['instructions'];
    const choice = body['tool_choice'];
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      includeUsage: true,
      texts: [
        ...(typeof instructions === 'string' ? [instructions] : []),
        ...items.map((item) => findText(field(item, 'content') ?? field(item, 'output'))),
      ],
      lastUserText: findText(field(users.at(-1), 'content')),
      toolResult:
        results.length > 0 ? results.map((result) => findText(field(result, 'output'))).join(' ') : undefined,
      tools: list(body['tools'])
        .filter((tool) => field(tool, 'type') === 'function')
        .map((tool) => ({ name: String(field(tool, 'name')), schema: field(tool, 'parameters') })),
      asked: readAskedExtras(body),
      toolForced: choice === 'required' || isObject(choice),
      reasoning: isObject(body['reasoning']) && field(body['reasoning'], 'effort') !== 'none',
    };
  },
  whole: (answer) =>
    writeResponse(answer, answer.finish === 'length' ? 'incomplete' : 'completed', itemsOf(answer)),
  events(answer) {
    const items = itemsOf(answer);
    const status = answer.finish === 'length' ? 'incomplete' : 'completed';
    const events: TypedEvent[] = [
      { type: 'response.created', response: writeResponse(answer, 'in_progress', []) },
      { type: 'response.in_progress', response: writeResponse(answer, 'in_progress', []) },
      ...items.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item: emptied(item) },
        ...partsOf(item, output_index, answer),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: `response.${status}`, response: writeResponse(answer, status, items) },
    ];
    return events.map((event, sequence_number): StreamEvent => ({
      name: event.type,
      data: { ...event, sequence_number },
    }));
  },
  tellable,
  bill: billResponses,
  terminator: '',
  error: openaiError,
  credential: bearer,
  countTokens: (words) => ({ object: 'response.input_tokens', input_tokens: words }),
};
