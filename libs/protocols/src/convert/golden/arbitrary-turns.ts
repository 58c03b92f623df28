import type { ClientProtocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { Part, ToolCall, Turn } from '../../neutral/request.ts';
import { anyInput, objectInput, someData, someText, someUrl, someWord } from './arbitrary.ts';

const text: fc.Arbitrary<Part> = fc.record({ kind: fc.constant('text' as const), text: someText });
const inline = (...types: [string, ...string[]]) =>
  fc.record({ type: fc.constant('data' as const), mediaType: fc.constantFrom(...types), data: someData });
const url = fc.record({ type: fc.constant('url' as const), url: someUrl });
const IMAGES = ['image/png', 'image/jpeg'] as const;
const image = (source: fc.Arbitrary<Extract<Part, { kind: 'image' }>['source']>): fc.Arbitrary<Part> =>
  fc.record({ kind: fc.constant('image' as const), source });
const detailed = (part: fc.Arbitrary<Part>, detail: fc.Arbitrary<string>): fc.Arbitrary<Part> =>
  fc.tuple(part, detail).map(([each, words]) => (each.kind === 'image' ? { ...each, detail: words } : each));
const anyImage = image(fc.oneof(inline(...IMAGES), url));
const pdf = fc.record({
  kind: fc.constant('file' as const),
  source: inline('application/pdf'),
  name: someWord.map((word) => `${word}.pdf`),
});
const audio = (...types: [string, ...string[]]): fc.Arbitrary<Part> =>
  fc.record({ kind: fc.constant('audio' as const), source: inline(...types) });

const signed = (format: ClientProtocol, words: fc.Arbitrary<string>, data = someData): fc.Arbitrary<Part> =>
  fc.record({
    kind: fc.constant('thinking' as const),
    text: words,
    state: fc.record({ format: fc.constant(format), kind: fc.constant('signed' as const), data }),
  });
const withStateId = (part: Part, id: string): Part =>
  part.kind === 'thinking' && part.state ? { ...part, state: { ...part.state, id } } : part;
const maybeText = fc.oneof(someText, fc.constant(''));

const call = (input: fc.Arbitrary<string>): fc.Arbitrary<ToolCall> =>
  fc.record({
    kind: fc.constant('tool_call' as const),
    id: fc.uuid(),
    name: someWord,
    input,
    custom: fc.constant(false),
  });
const customCall = call(fc.string()).map((each) => ({ ...each, custom: true }));

/** What a format can say of a conversation. */
interface Speech {
  readonly user: fc.Arbitrary<Part>;
  /** One turn of the model before its calls; at least one part when it makes none. */
  readonly said: fc.Arbitrary<Part[]>;
  readonly calls: fc.Arbitrary<ToolCall>;
  readonly result: fc.Arbitrary<Part[]>;
  readonly errors: boolean;
  readonly system: boolean;
}

/** Turns by turns: a question, an answer, and now and then calls with their results in any order. */
function conversation({ user, said, calls, result, errors, system }: Speech): fc.Arbitrary<Turn[]> {
  const question = fc
    .array(user, { minLength: 1, maxLength: 3 })
    .map((parts): Turn[] => [{ role: 'user', parts }]);
  // Thoughts after which nothing is said do not pass.
  const spoken = said.filter(
    (parts) => parts.some(({ kind }) => kind === 'text') && parts.at(-1)?.kind !== 'thinking',
  );
  const answer = spoken.map((parts): Turn[] => [{ role: 'assistant', parts }]);
  const working = fc
    .record({
      before: said,
      made: fc.uniqueArray(calls, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
      results: fc.array(fc.tuple(result, errors ? fc.boolean() : fc.constant(false)), {
        minLength: 3,
        maxLength: 3,
      }),
    })
    .map(({ before, made, results }): Turn[] => [
      { role: 'assistant', parts: [...before, ...made] },
      {
        role: 'user',
        parts: made.toReversed().map(({ id }, index): Part => {
          const [content, isError] = results[index] ?? [[], false];
          return { kind: 'tool_result', callId: id, isError, content };
        }),
      },
    ]);
  const between = text.map((part): Turn[] => [{ role: 'system', parts: [part] }]);
  const round = fc
    .tuple(question, fc.array(working, { maxLength: 2 }), answer, system ? between : fc.constant([]))
    .map(([asked, worked, told, told2]) => [...asked, ...worked.flat(), ...told, ...told2]);
  return fc
    .tuple(fc.array(round, { maxLength: 2 }), question)
    .map(([rounds, last]) => [...rounds.flat(), ...last]);
}

const maybe = <T>(each: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(each, { maxLength: 1 });
const partsInOrder = (...lists: fc.Arbitrary<Part[]>[]) => fc.tuple(...lists).map((each) => each.flat());

const SPEECH: Readonly<Record<ClientProtocol, Speech>> = {
  'openai-chat': {
    user: fc.oneof(
      text,
      anyImage,
      detailed(anyImage, fc.constantFrom('low', 'high')),
      pdf,
      audio('audio/wav', 'audio/mp3'),
    ),
    said: partsInOrder(
      maybe(signed('openai-chat', someText, fc.constant(''))),
      maybe(text),
      maybe(fc.record({ kind: fc.constant('refusal' as const), text: someText })),
    ),
    calls: fc.oneof(call(anyInput), customCall),
    result: maybe(text),
    errors: false,
    system: true,
  },
  'openai-responses': {
    user: fc.oneof(
      text,
      detailed(anyImage, fc.constantFrom('low', 'high', 'auto')),
      pdf,
      fc.record({ kind: fc.constant('file' as const), source: url }),
    ),
    said: fc.array(
      fc.oneof(
        text,
        fc.record({ kind: fc.constant('refusal' as const), text: someText }),
        signed('openai-responses', maybeText),
        fc.tuple(signed('openai-responses', maybeText), someWord).map(([part, id]) => withStateId(part, id)),
      ),
      { maxLength: 3 },
    ),
    calls: fc.oneof(
      call(anyInput),
      customCall,
      call(anyInput).map((each) => ({ ...each, namespace: 'sky' })),
    ),
    result: fc.oneof(maybe(text), fc.tuple(text, detailed(anyImage, fc.constant('auto')))),
    errors: false,
    system: true,
  },
  'anthropic-messages': {
    user: fc.oneof(text, anyImage, pdf, fc.record({ kind: fc.constant('file' as const), source: url })),
    said: partsInOrder(
      fc.array(
        fc.oneof(
          signed('anthropic-messages', maybeText),
          fc.record({
            kind: fc.constant('thinking' as const),
            text: fc.constant(''),
            state: fc.record({
              format: fc.constant('anthropic-messages' as const),
              kind: fc.constant('redacted' as const),
              data: someData,
            }),
          }),
        ),
        { maxLength: 2 },
      ),
      fc.array(text, { maxLength: 2 }),
    ),
    calls: call(objectInput),
    result: fc.array(fc.oneof(text, anyImage), { maxLength: 2 }),
    errors: true,
    system: false,
  },
  gemini: {
    user: fc.oneof(
      text,
      image(inline(...IMAGES)),
      audio('audio/wav', 'audio/ogg'),
      fc.record({ kind: fc.constant('file' as const), source: inline('application/pdf', 'video/mp4') }),
    ),
    said: partsInOrder(maybe(signed('gemini', maybeText)), fc.array(text, { maxLength: 2 })),
    calls: call(objectInput),
    result: maybe(text),
    errors: true,
    system: false,
  },
};

/** Conversations within what a format carries. */
export const anyTurns = (protocol: ClientProtocol): fc.Arbitrary<Turn[]> => conversation(SPEECH[protocol]);
