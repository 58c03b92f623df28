import type { Answer, SimulatedUsage } from '../answer.ts';
import { billChat } from '../bill/billed.ts';
import { field, isSaid, isObject, list, findText, trailing } from '../question.ts';
import { bearer, CREATED, type Format, halves, type StreamEvent } from './format.ts';
import { readAskedExtras, writeCitations, citesPages, writeSearches, tellable } from './chat-tools.ts';
import { writeTier } from './openai-tiers.ts';
import { CHAT_RULES } from '../rules/openai-chat.ts';
import { OPENAI_PROFILES } from '../rules/openai-profiles.ts';
import { refuseBy } from '../rules/rule.ts';
import { openaiError } from './openai-error.ts';

const finishOf = ({ calls, finish }: Answer) =>
  calls.length > 0 ? 'tool_calls' : finish === 'refusal' ? 'content_filter' : finish;

const usageOf = ({ extras }: Answer, usage: SimulatedUsage) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: {
    cached_tokens: usage.cacheRead,
    audio_tokens: usage.audioIn,
    ...(usage.imageIn ? { image_tokens: usage.imageIn } : {}),
    ...(usage.cacheWrite ? { cache_write_tokens: usage.cacheWrite } : {}),
  },
  completion_tokens_details: {
    reasoning_tokens: usage.reasoning,
    audio_tokens: usage.audioOut,
    ...(usage.imageOut ? { image_tokens: usage.imageOut } : {}),
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
  ...writeSearches(extras),
  ...(extras.cost === undefined ? {} : { cost: extras.cost }),
});

const isMistral = (model: string): boolean =>
  OPENAI_PROFILES.find(({ models }) => models.test(model))?.takes.vendor === 'mistral';

/** What Mistral refuses when it comes back it does not say either: other ids of calls, refusals. */
const callId = ({ model }: Answer, id: string): string => (isMistral(model) ? id.slice(-9) : id);
const refusalOf = ({ model }: Answer): object => (isMistral(model) ? {} : { refusal: null });

const callOf = (answer: Answer, { id, name, args }: Answer['calls'][0]) => ({
  id: callId(answer, id),
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

/** OpenAI Chat Completions. */
export const openaiChat: Format = {
  refuse: refuseBy(CHAT_RULES),
  stateOwner: (account) => ({ vendor: 'openai', account }),
  read(body) {
    const messages = list(body['messages']);
    if (messages.length === 0) throw new Error("Missing required parameter: 'messages'.");
    const results = trailing(messages.filter(isSaid), (message) => field(message, 'role') === 'tool');
    const users = messages.filter((message) => field(message, 'role') === 'user');
    const choice = body['tool_choice'];
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      includeUsage: field(body['stream_options'], 'include_usage') === true,
      texts: messages.map((message) => findText(field(message, 'content'))),
      lastUserText: findText(field(users.at(-1), 'content')),
      toolResult:
        results.length > 0
          ? results.map((result) => findText(field(result, 'content'))).join(' ')
          : undefined,
      tools: list(body['tools'])
        .filter((tool) => isObject(field(tool, 'function')))
        .map((tool) => ({
          name: String(field(field(tool, 'function'), 'name')),
          schema: field(field(tool, 'function'), 'parameters'),
        })),
      asked: readAskedExtras(body),
      toolForced: choice === 'required' || isObject(choice),
      reasoning:
        typeof body['reasoning_effort'] === 'string' &&
        body['reasoning_effort'] !== 'none' &&
        !isMistral(String(body['model'])),
    };
  },
  whole: (answer) => ({
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion',
    created: CREATED,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.calls.length > 0 ? null : answer.text,
          ...refusalOf(answer),
          ...writeCitations(answer),
          ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
          ...(answer.calls.length > 0
            ? { tool_calls: answer.calls.map((call) => callOf(answer, call)) }
            : {}),
        },
        logprobs: null,
        finish_reason: finishOf(answer),
      },
    ],
    ...(answer.usage ? { usage: usageOf(answer, answer.usage) } : {}),
    ...writeTier(answer),
    system_fingerprint: 'fp_simulator',
  }),
  events(answer, { includeUsage }) {
    const chunk = (choices: object[], usage: object | null = null): StreamEvent => ({
      data: {
        id: `chatcmpl-${answer.id}`,
        object: 'chat.completion.chunk',
        created: CREATED,
        model: answer.model,
        ...writeTier(answer),
        system_fingerprint: 'fp_simulator',
        choices,
        ...(includeUsage ? { usage } : {}),
      },
    });
    const delta = (part: object, finish: string | null = null) =>
      chunk([{ index: 0, delta: part, logprobs: null, finish_reason: finish }]);
    return [
      delta({ role: 'assistant', content: answer.calls.length > 0 ? null : '', ...refusalOf(answer) }),
      ...(answer.reasoning ? [delta({ reasoning_content: answer.reasoning })] : []),
      ...answer.pieces.map((content) => delta({ content })),
      ...answer.calls.flatMap(({ id, name, args }, index) => [
        delta({
          tool_calls: [
            { index, id: callId(answer, id), type: 'function', function: { name, arguments: '' } },
          ],
        }),
        ...halves(JSON.stringify(args)).map((part) =>
          delta({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      ...(citesPages(answer) ? [delta(writeCitations(answer))] : []),
      delta({}, finishOf(answer)),
      ...(includeUsage && answer.usage ? [chunk([], usageOf(answer, answer.usage))] : []),
    ];
  },
  tellable,
  bill: billChat,
  terminator: 'data: [DONE]\n\n',
  error: openaiError,
  credential: bearer,
  countTokens: (words) => ({ input_tokens: words }),
};
