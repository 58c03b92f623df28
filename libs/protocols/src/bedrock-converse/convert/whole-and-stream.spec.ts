import fc from 'fast-check';
import { someData, someText, someUrl } from '../../convert/golden/arbitrary.ts';
import { customInput } from '../../convert/tool-input.ts';
import { createToolNames } from '../../convert/tool-names.ts';
import type { JsonObject } from '../../json.ts';
import { assemble } from '../../neutral/assemble.ts';
import type { Tool } from '../../neutral/request.ts';
import { decodeConverseAnswer } from './answer.ts';
import { converseConversion } from './conversion.ts';
import { converseStreamDecoder } from './stream.ts';

const TOOLS: readonly Tool[] = [
  { kind: 'function', name: 'weather', parameters: { type: 'object' } },
  { kind: 'custom', name: 'patch' },
];
const context = { names: createToolNames(TOOLS, converseConversion.toolNames) };

/** A block of a whole answer, and what a stream says of it. */
interface Block {
  readonly whole: JsonObject;
  readonly start?: JsonObject;
  /** Of which the texts come in pieces. */
  readonly deltas: readonly JsonObject[];
}

type Pieces = (text: string) => string[];

const textBlock = (pieces: Pieces) =>
  someText.map((text): Block => ({
    whole: { text },
    deltas: pieces(text).map((piece) => ({ text: piece })),
  }));

const citedBlock = (pieces: Pieces) =>
  fc
    .tuple(someText, fc.array(fc.tuple(someUrl, someText), { minLength: 1, maxLength: 3 }))
    .map(([text, cited]): Block => {
      const citations = cited.map(([url, title]) => ({ title, location: { web: { url } } }));
      return {
        whole: { citationsContent: { content: [{ text }], citations } },
        deltas: [
          ...pieces(text).map((piece) => ({ text: piece })),
          ...citations.map((citation) => ({ citation })),
        ],
      };
    });

const thought = (pieces: Pieces) =>
  fc.tuple(someText, someData).map(([text, signature]): Block => ({
    whole: { reasoningContent: { reasoningText: { text, signature } } },
    deltas: [
      ...pieces(text).map((piece) => ({ reasoningContent: { text: piece } })),
      ...pieces(signature).map((piece) => ({ reasoningContent: { signature: piece } })),
    ],
  }));

const redactedThought = someData.map((redactedContent): Block => {
  const whole = { reasoningContent: { redactedContent } };
  return { whole, deltas: [whole] };
});

const call = (pieces: Pieces) =>
  fc
    .oneof(
      fc.dictionary(fc.string(), fc.jsonValue()).map((input) => ({ name: 'weather', input })),
      fc.string().map((input) => ({ name: 'patch', input: customInput(input) })),
    )
    .chain((said) => fc.uuid().map((toolUseId) => ({ toolUseId, ...said })))
    .map(({ toolUseId, name, input }): Block => ({
      whole: { toolUse: { toolUseId, name, input } },
      start: { toolUse: { toolUseId, name } },
      deltas: pieces(JSON.stringify(input)).map((piece) => ({ toolUse: { input: piece } })),
    }));

const picture = someData.map((bytes): Block => {
  const whole = { image: { format: 'png', source: { bytes } } };
  return { whole, deltas: [whole] };
});

const inPiecesOf =
  (size: number): Pieces =>
  (text) => {
    const characters = [...text];
    const pieces: string[] = [];
    for (let at = 0; at < characters.length; at += size)
      pieces.push(characters.slice(at, at + size).join(''));
    return pieces;
  };

const count = fc.nat(10_000);
const usage = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    cacheReadInputTokens: count,
    cacheWriteInputTokens: count,
    cacheDetails: fc.array(fc.record({ ttl: fc.constantFrom('5m', '1h'), inputTokens: count }), {
      maxLength: 2,
    }),
  },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
);

const anyAnswer = fc.integer({ min: 1, max: 9 }).chain((size) => {
  const pieces = inPiecesOf(size);
  return fc.record({
    blocks: fc.array(
      fc.oneof(
        textBlock(pieces),
        citedBlock(pieces),
        thought(pieces),
        redactedThought,
        call(pieces),
        picture,
      ),
      { maxLength: 6 },
    ),
    stopReason: fc.constantFrom(
      'end_turn',
      'tool_use',
      'max_tokens',
      'stop_sequence',
      'guardrail_intervened',
      'content_filtered',
      'model_context_window_exceeded',
    ),
    usage,
  });
});
type Answer = typeof anyAnswer extends fc.Arbitrary<infer Of> ? Of : never;

const ended = ({ stopReason }: Answer): JsonObject => ({
  stopReason,
  ...(stopReason === 'stop_sequence' ? { additionalModelResponseFields: { stop_sequence: 'END' } } : {}),
});

const writeWhole = (answer: Answer): JsonObject => ({
  output: { message: { role: 'assistant', content: answer.blocks.map(({ whole }) => whole) } },
  ...ended(answer),
  usage: answer.usage,
});

const writeEvents = (answer: Answer): JsonObject[] => [
  { messageStart: { role: 'assistant' } },
  ...answer.blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
    ...(start ? [{ contentBlockStart: { contentBlockIndex, start } }] : []),
    ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
    { contentBlockStop: { contentBlockIndex } },
  ]),
  { messageStop: ended(answer) },
  { metadata: { usage: answer.usage, metrics: { latencyMs: 1 } } },
];

test('a whole answer says what the same answer says as a stream, however its pieces are cut', () => {
  fc.assert(
    fc.property(anyAnswer, (answer) => {
      const decoder = converseStreamDecoder(context);
      const events = writeEvents(answer).flatMap((event) => decoder.read(event));
      expect(assemble([...events, ...decoder.end()])).toEqual(
        decodeConverseAnswer(JSON.parse(JSON.stringify(writeWhole(answer))), context),
      );
    }),
  );
});
