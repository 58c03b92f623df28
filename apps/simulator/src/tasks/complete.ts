import { CREATED, bearer, type StreamEvent } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import { field, type Json } from '../question.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import type { Script } from '../script.ts';
import { countTokens } from './embedding.ts';
import type { TaskDoor, TaskQuestion } from './task-door.ts';

const API = 'https://platform.openai.com/docs/api-reference/completions/create';

const MEMBERS = new Set(
  `model prompt best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop
  stream stream_options suffix temperature top_p user`.split(/\s+/),
);
/** What OpenAI writes where no limit is stated. */
const MAX_TOKENS = 16;
/** Where the script does not say how many. */
const WORDS = 5;

const wrong = (message: string, param: string): Refusal => ({ status: 400, message, param });

const listPrompts = ({ prompt = '<|endoftext|>' }: Json): readonly unknown[] =>
  Array.isArray(prompt) && typeof prompt[0] !== 'number' ? (prompt as unknown[]) : [prompt];
const isPrompt = (each: unknown): boolean =>
  typeof each === 'string' || (Array.isArray(each) && each.every(Number.isInteger));
const between = (value: unknown, from: number, to: number): boolean =>
  value === undefined ||
  value === null ||
  (Number.isInteger(value) && Number(value) >= from && Number(value) <= to);

const rule = (id: string, refuses: string, check: Rule<object>['check']): Rule<object> => ({
  id,
  refuses,
  source: API,
  check,
});

export const COMPLETION_RULES = [
  rule('complete-unknown-member', 'a member that the end point does not know', ({ body }) => {
    const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
    return unknown === undefined
      ? undefined
      : wrong(`Unrecognized request argument supplied: ${unknown}`, unknown);
  }),
  rule('complete-chat-model', 'a model for conversations', ({ model }) =>
    /^(?:gpt-[45]|gpt-3\.5-turbo$|o\d)/.test(model)
      ? {
          status: 404,
          param: 'model',
          message:
            'This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?',
        }
      : undefined,
  ),
  rule('complete-prompt', 'a prompt that is neither text nor tokens', ({ body }) =>
    listPrompts(body).every(isPrompt) && listPrompts(body).length > 0
      ? undefined
      : wrong("'$.prompt' is invalid. Please check the API reference.", 'prompt'),
  ),
  rule('complete-n', 'answers below 1 or above 128', ({ body }) =>
    between(body['n'], 1, 128) ? undefined : wrong(`${String(body['n'])} is not in 1 to 128`, 'n'),
  ),
  rule('complete-best-of', 'a `best_of` above 20, below `n`, or of a stream', ({ body }) => {
    const best = body['best_of'];
    if (best === undefined || best === null) return undefined;
    if (!between(best, 0, 20)) return wrong(`${String(best)} is not in 0 to 20`, 'best_of');
    if (Number(best) < Number(body['n'] ?? 1)) return wrong('best_of must be greater than n', 'best_of');
    return body['stream'] === true && Number(best) > 1
      ? wrong('You cannot use best_of with stream.', 'best_of')
      : undefined;
  }),
  rule('complete-logprobs', 'more than 5 `logprobs`', ({ body }) =>
    between(body['logprobs'], 0, 5)
      ? undefined
      : wrong(`${String(body['logprobs'])} is not in 0 to 5`, 'logprobs'),
  ),
  rule('complete-max-tokens', 'a limit below 0', ({ body }) =>
    between(body['max_tokens'], 0, Infinity)
      ? undefined
      : wrong(`${String(body['max_tokens'])} is less than the minimum of 0`, 'max_tokens'),
  ),
  rule('complete-suffix', 'a suffix with `echo`', ({ body }) =>
    typeof body['suffix'] === 'string' && body['echo'] === true
      ? wrong('Cannot use echo with suffix.', 'suffix')
      : undefined,
  ),
  rule('complete-stream-options', '`stream_options` where nothing is streamed', ({ body }) =>
    body['stream_options'] && body['stream'] !== true
      ? wrong("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options')
      : undefined,
  ),
];

/** Words, of which no more are written than the request allows; each is a token. */
function write(body: Json, { words, text }: Script): { readonly tokens: readonly string[]; finish: string } {
  const asked = text?.split(' ') ?? Array.from({ length: words ?? WORDS }, (_, index) => `word${index + 1}`);
  const max = Number(body['max_tokens'] ?? MAX_TOKENS);
  const tokens = asked.slice(0, max).map((word, index) => (index === 0 ? word : ` ${word}`));
  return { tokens, finish: asked.length > max ? 'length' : 'stop' };
}

/** OpenAI's `/v1/completions`, and what servers of open models have of it. */
export const complete: TaskDoor = {
  refuse: refuseBy({ rules: COMPLETION_RULES, profiles: [], unknown: {} }),
  error: openaiError,
  credential: bearer,
  read: (body) => ({
    model: String(body['model']),
    inputs: listPrompts(body) as TaskQuestion['inputs'],
  }),
  answer({ model, inputs }, body, script) {
    const n = Number(body['n'] ?? 1);
    const { tokens, finish } = write(body, script);
    const echoes = body['echo'] === true;
    const echoed = (input: string | readonly number[]) => (echoes && typeof input === 'string' ? input : '');
    const written = inputs.length * Math.max(n, Number(body['best_of'] ?? 1)) * tokens.length;
    const suffix = typeof body['suffix'] === 'string' ? [body['suffix']] : [];
    const read =
      countTokens(inputs, script) + (suffix.length > 0 ? inputs.length * countTokens(suffix, {}) : 0);
    const output = script.usage?.output ?? written;
    const usage = { prompt_tokens: read, completion_tokens: output, total_tokens: read + output };
    const head = { id: 'cmpl-sim', object: 'text_completion', created: CREATED, model };
    const choices = inputs.flatMap((input) =>
      Array.from({ length: n }, () => ({ text: echoed(input) + tokens.join(''), echo: echoed(input) })),
    );
    const logprobs =
      typeof body['logprobs'] === 'number' ? { tokens, token_logprobs: tokens.map(() => -0.5) } : null;
    const reports = script.no_usage !== true;
    const asks = field(body['stream_options'], 'include_usage') === true;
    const chunk = (index: number, text: string, reason: string | null): StreamEvent => ({
      data: {
        ...head,
        choices: [{ index, text, logprobs: null, finish_reason: reason }],
        ...(asks ? { usage: null } : {}),
      },
    });
    return {
      body: {
        ...head,
        choices: choices.map(({ text }, index) => ({ index, text, logprobs, finish_reason: finish })),
        ...(reports ? { usage } : {}),
      },
      events: [
        ...choices.flatMap(({ echo }, index) => (echo === '' ? [] : [chunk(index, echo, null)])),
        ...tokens.flatMap((token) => choices.map((_, index) => chunk(index, token, null))),
        ...choices.map((_, index) => chunk(index, '', finish)),
        ...(asks && reports ? [{ data: { ...head, choices: [], usage } }] : []),
      ],
      terminator: 'data: [DONE]\n\n',
      billed: [{ model, tier: 'standard', region: undefined, tokens: { input: read, output }, tools: {} }],
      tokens: read,
      output,
    };
  },
};
