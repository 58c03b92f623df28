import { z } from 'zod';
import { type JsonObject, listAt, objectAt, textAt } from '../../json.ts';
import { openaiChat } from '../../openai-chat/codec.ts';
import { chatUsage } from '../../openai-chat/usage.ts';
import { readOutput } from '../../output-fields.ts';
import { atLeastOne, modelField, streamField } from '../../schema.ts';
import { setBodyFields } from '../../upstream-request.ts';
import type { AnswerRules, TaskClient, TaskCodec, TaskStreams } from '../task-codec.ts';

const MAX_PROMPTS = 2_048;
/** What OpenAI completes where no prompt is given: the end of a text. */
const NO_PROMPT = { texts: [], tokens: 1 };

const tokens = z.array(z.int().nonnegative());
const many = <T extends z.ZodType>(each: T) =>
  z.array(each).min(1, 'must not be empty').max(MAX_PROMPTS, `must be at most ${MAX_PROMPTS} prompts`);
const prompt = z.union([z.string(), many(z.string()), tokens.min(1), many(tokens)], {
  error: `must be a string, an array of at most ${MAX_PROMPTS} strings, or tokens`,
});
const count = z.int({ error: 'must be an integer' }).min(0, 'must be at least 0');

const schema = z.looseObject({
  model: modelField,
  prompt: prompt.nullish(),
  /** With none an `echo` tells the probabilities of the prompt alone. */
  max_tokens: count.nullish(),
  n: atLeastOne.nullish(),
  best_of: count.nullish(),
  logprobs: z.union([count, z.boolean()], { error: 'must be an integer' }).nullish(),
  echo: z.boolean({ error: 'must be true or false' }).nullish(),
  suffix: z.string({ error: 'must be a string' }).nullish(),
  stream: streamField,
  stream_options: z
    .looseObject({ include_usage: z.boolean({ error: 'must be true or false' }).nullish() })
    .nullish(),
  prompt_embeds: z.null({ error: 'cannot be billed, and is not taken here' }).optional(),
});

/** Each of the prompts, as a text or as tokens. */
function listPrompts({ prompt: given }: JsonObject): readonly unknown[] {
  if (given === undefined || given === null) return [];
  return Array.isArray(given) && typeof given[0] !== 'number' ? (given as readonly unknown[]) : [given];
}

/** Those of Chat, which the same servers read, and that of llama.cpp. */
const OUTPUT_FIELDS = [...openaiChat.outputFields, { path: ['n_predict'], role: 'raises' }] as const;

/** Every prompt has as many answers. */
const output: TaskClient['output'] = (body) => {
  // Readers of limits take none for no limit.
  const noneWritten = { ...(body['max_tokens'] === 0 ? { max_tokens: 1 } : {}) };
  const noBest = { ...(body['best_of'] === 0 ? { best_of: 1 } : {}) };
  const read = readOutput(OUTPUT_FIELDS, { ...body, ...noneWritten, ...noBest });
  if (!read.ok) return read;
  const prompts = Math.max(1, listPrompts(body).length);
  return { ok: true, output: { ...read.output, answers: read.output.answers * prompts } };
};

const client: TaskClient = {
  schema,
  modelInBody: true,
  output,
  readInputs(body) {
    const suffix = textAt(body, 'suffix');
    const after = suffix === '' ? [] : [suffix];
    const prompts = listPrompts(body);
    if (prompts.length === 0) return [{ ...NO_PROMPT, texts: after }];
    return prompts.map((each) =>
      typeof each === 'string'
        ? { texts: [each, ...after] }
        : { texts: after, tokens: (each as readonly number[]).length },
    );
  },
};

const textOf = (event: unknown): string =>
  listAt(event, 'choices')
    .map((choice) => textAt(choice, 'text'))
    .join('');

const rules: AnswerRules = {
  usage: chatUsage,
  extras: { findInBody: () => undefined, findInEvent: (_event, before) => before },
  findFailure: openaiChat.findFailure,
  isPreamble: (event) =>
    openaiChat.findFailure(event) === undefined &&
    chatUsage.findInBody(event) === undefined &&
    listAt(event, 'choices').every(
      (choice) => textAt(choice, 'text') === '' && textAt(choice, 'finish_reason') === '',
    ),
  isFinal: openaiChat.isFinal,
  finishReasons: openaiChat.finishReasons,
  emittedText: textOf,
  streamsJsonArrays: false,
};

/** As one event, and another one for the usage. */
const streams: TaskStreams = {
  usageOnRequest: true,
  replay(answer, { includeUsage }) {
    const { usage, ...rest } = answer;
    const says = includeUsage && objectAt(answer, 'usage') !== undefined;
    return [{ data: rest }, ...(says ? [{ data: { ...rest, choices: [], usage } }] : []), { data: '[DONE]' }];
  },
};

/**
 * OpenAI's completions from before there were conversations, which servers of open models and of code have still. A prompt
 * means something else than a conversation, so nobody is asked who does not take one.
 */
export const complete: TaskCodec = {
  telemetry: 'text_completion',
  mayFallBack: true,
  spokenBy: { 'openai-chat': ['openai'], 'openai-responses': ['openai'] },
  clients: { openai: client },
  upstreams: { openai: { path: () => '/v1/completions', rules } },
  streams,
  // There is one format: requests and answers pass as they are, but for the name of the model.
  convert: ({ bytes, namedModel, upstreamModel }) => ({
    ok: true,
    bodies: [namedModel === upstreamModel ? bytes : setBodyFields(bytes, { model: upstreamModel })],
    dropped: [],
    toAnswer: () => 'as it is',
  }),
};
