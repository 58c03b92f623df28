import type { ClientProtocol, TokenCounts, TokenKind } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { AnswerPart, FinishReason, NeutralAnswer } from '../../neutral/answer.ts';
import type { ReasoningState, Tool, ToolCall } from '../../neutral/request.ts';
import {
  anyInput,
  noneAlike,
  objectInput,
  someData,
  someText,
  someUrl,
  someWord,
  tokensOfKinds,
} from './arbitrary.ts';

/** The tools that the answers call. */
export const ANSWER_TOOLS: readonly Tool[] = [
  { kind: 'function', name: 'weather', parameters: { type: 'object' } },
  { kind: 'custom', name: 'patch' },
];

type Parts = fc.Arbitrary<AnswerPart[]>;

const text = fc.record({ kind: fc.constant('text' as const), text: someText });
const cited = fc.array(fc.record({ url: someUrl, title: someText }), { minLength: 1, maxLength: 3 });
const citedText = fc.record({ kind: fc.constant('text' as const), text: someText, cited });
const refusal = fc.record({ kind: fc.constant('refusal' as const), text: someText });
const thought = fc.record({ kind: fc.constant('thinking' as const), text: someText });

const call = (input: fc.Arbitrary<string>): fc.Arbitrary<ToolCall> =>
  fc.oneof(
    fc.record({
      kind: fc.constant('tool_call' as const),
      id: fc.uuid(),
      name: fc.constant('weather'),
      input,
      custom: fc.constant(false),
    }),
    fc.record({
      kind: fc.constant('tool_call' as const),
      id: fc.uuid(),
      name: fc.constant('patch'),
      input: fc.string(),
      custom: fc.constant(true),
    }),
  );

const state = (format: ClientProtocol, kind: ReasoningState['kind'] = 'signed'): fc.Arbitrary<ReasoningState> =>
  fc.record({ format: fc.constant(format), kind: fc.constant(kind), data: someData });

const signed = (format: ClientProtocol, words: fc.Arbitrary<string>): fc.Arbitrary<AnswerPart> =>
  fc.record({ kind: fc.constant('thinking' as const), text: words, state: state(format) });

const sameKind = (one: AnswerPart, other: AnswerPart) => one.kind === other.kind && one.kind !== 'tool_call';

const maybe = <T>(each: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(each, { maxLength: 1 });

const joined = (...lists: fc.Arbitrary<AnswerPart[]>[]): Parts =>
  fc.tuple(...lists).map((each) => each.flat());

/** Chat has one place for each kind of part; a state needs a call to hang on. */
const chatParts = fc.oneof(
  joined(maybe(thought), maybe(fc.oneof(text, citedText)), maybe(refusal), fc.array(call(anyInput))),
  joined(
    signed('openai-chat', fc.oneof(someText, fc.constant(''))).map((each) => [each]),
    maybe(text),
    fc.array(call(anyInput), { minLength: 1 }),
  ),
);

/** In a stream parts may stand in any order, and a state stands right before its call. */
const chatStreamParts = noneAlike(
  fc.oneof(
    fc.oneof(text, citedText, refusal, thought, call(anyInput)).map((part): AnswerPart[] => [part]),
    fc.tuple(signed('openai-chat', fc.constant('')), call(anyInput)),
  ),
  ([one], [other]) => one !== undefined && other !== undefined && sameKind(one, other),
).map((lists) => lists.flat());

const responsesParts = fc.array(
  fc.oneof(
    text,
    citedText,
    refusal,
    thought,
    fc.record({
      kind: fc.constant('thinking' as const),
      text: fc.oneof(someText, fc.constant('')),
      state: fc.record({
        format: fc.constant('openai-responses' as const),
        kind: fc.constant('signed' as const),
        data: someData,
        id: someWord.map((word) => `rs_${word}`),
      }),
    }),
    call(anyInput),
    call(anyInput).map((each) => (each.custom ? each : { ...each, namespace: 'sky' })),
  ),
  { maxLength: 6 },
);

const messagesParts = fc.array(
  fc.oneof(
    text,
    citedText,
    signed('anthropic-messages', fc.oneof(someText, fc.constant(''))),
    fc.record({
      kind: fc.constant('thinking' as const),
      text: fc.constant(''),
      state: state('anthropic-messages', 'redacted'),
    }),
    call(objectInput),
  ),
  { maxLength: 6 },
);

/** Texts in a row are one here, and what is cited belongs to the last text. */
const geminiParts = fc
  .tuple(
    noneAlike(
      fc.oneof(text, thought, signed('gemini', fc.oneof(someText, fc.constant(''))), call(objectInput)),
      sameKind,
    ),
    cited,
    fc.boolean(),
  )
  .map(([parts, citations, withCitations]) => {
    const last = parts.at(-1);
    return withCitations && last?.kind === 'text'
      ? [...parts.slice(0, -1), { ...last, cited: citations }]
      : parts;
  });

const PARTS: Readonly<Record<ClientProtocol, Parts>> = {
  'openai-chat': chatParts,
  'openai-responses': responsesParts,
  'anthropic-messages': messagesParts,
  gemini: geminiParts,
};

const OPENAI: readonly TokenKind[] = ['input', 'cache_read', 'cache_write', 'output', 'output_reasoning'];
const KINDS: Readonly<Record<ClientProtocol, readonly TokenKind[]>> = {
  'openai-chat': [...OPENAI, 'input_audio', 'input_image', 'output_audio'],
  'openai-responses': OPENAI,
  'anthropic-messages': [...OPENAI, 'cache_write_1h'],
  gemini: [
    'input',
    'input_audio',
    'input_image',
    'cache_read',
    'cache_read_audio',
    'cache_read_image',
    'output',
    'output_reasoning',
  ],
};

const REASONS: Readonly<Record<ClientProtocol, readonly FinishReason[]>> = {
  'openai-chat': ['length', 'content_filter'],
  'openai-responses': ['length', 'content_filter'],
  'anthropic-messages': ['length', 'content_filter', 'context_window', 'pause', 'stop_sequence'],
  gemini: ['length', 'content_filter'],
};

const PREFIX: Readonly<Record<ClientProtocol, string>> = {
  'openai-chat': 'chatcmpl-',
  'openai-responses': 'resp_',
  'anthropic-messages': 'msg_',
  gemini: '',
};

/** How such parts end when nothing else ended them. */
function plainEnd(parts: readonly AnswerPart[]): FinishReason {
  if (parts.some(({ kind }) => kind === 'tool_call')) return 'tool_calls';
  return parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : 'stop';
}

/** Answers within what a format carries. */
export function anyAnswer(protocol: ClientProtocol, streamed = false): fc.Arbitrary<NeutralAnswer> {
  const parts = streamed && protocol === 'openai-chat' ? chatStreamParts : PARTS[protocol];
  const reported: fc.Arbitrary<TokenCounts> = tokensOfKinds(KINDS[protocol]);
  return fc
    .record({
      word: someWord,
      parts,
      reason: fc.option(fc.constantFrom(...REASONS[protocol]), { nil: undefined }),
      tokens: protocol === 'anthropic-messages' ? reported : fc.option(reported, { nil: undefined }),
    })
    .map(({ word, parts: said, reason, tokens }) => ({
      id: `${PREFIX[protocol]}${word}`,
      choices: [
        {
          parts: said,
          finish: reason ?? plainEnd(said),
          ...(reason === 'stop_sequence' ? { stopSequence: 'END' } : {}),
        },
      ],
      tokens,
    }));
}
