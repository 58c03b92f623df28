import { CODECS, type StreamFraming } from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { EVENTS } from './answers.ts';
import { anyJson, type Json, mutated, mutations, type Mutation, readable, toText } from './mutate.ts';

export type Framing = Exclude<StreamFraming, 'none'>;

interface EventStep {
  readonly kind: 'drop' | 'repeat' | 'swap' | 'change' | 'insert' | 'cut';
  readonly at: number;
  readonly other: number;
  readonly changes: readonly Mutation[];
  readonly value: Json;
}

const steps: fc.Arbitrary<EventStep[]> = fc.array(
  fc.record<EventStep>({
    kind: fc.constantFrom('drop', 'repeat', 'swap', 'change', 'change', 'insert', 'cut'),
    at: fc.nat(40),
    other: fc.nat(40),
    changes: mutations,
    value: anyJson,
  }),
  { maxLength: 4 },
);

function eventTexts(protocol: ClientProtocol, list: readonly EventStep[]): string[] {
  const texts = EVENTS[protocol].map((event) => (event === '[DONE]' ? event : toText(event)));
  for (const { kind, at, other, changes, value } of list) {
    const index = at % Math.max(1, texts.length);
    const [event] = EVENTS[protocol].slice(other % EVENTS[protocol].length);
    if (kind === 'drop') texts.splice(index, 1);
    else if (kind === 'repeat') texts.splice(index, 0, texts[index] ?? '');
    else if (kind === 'swap') texts.push(...texts.splice(index, 1));
    else if (kind === 'change') texts[index] = mutated(event ?? null, changes);
    else if (kind === 'insert') texts.splice(index, 0, toText(value));
    else texts.length = index;
  }
  return texts;
}

interface ByteStep {
  readonly kind: 'delete' | 'insert' | 'repeat' | 'flip';
  readonly at: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

const ENDS = ['\n', '\r\n', '\r'] as const;
const NOISE: readonly Uint8Array[] = [
  '\n\n',
  '\r',
  ': comment\n',
  'data:\n',
  'data',
  'event: error\n',
  'data: [DONE]\n\n',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  '\0',
  '\ufeff',
].map((text) => new Uint8Array(Buffer.from(text)));

const byteSteps: fc.Arbitrary<ByteStep[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<ByteStep[]>([]) },
  {
    weight: 2,
    arbitrary: fc.array(
      fc.record<ByteStep>({
        kind: fc.constantFrom('delete', 'insert', 'repeat', 'flip'),
        at: fc.nat(4_000),
        length: fc.nat(60),
        bytes: fc.oneof(fc.constantFrom(...NOISE), fc.uint8Array({ maxLength: 6 })),
      }),
      { maxLength: 3 },
    ),
  },
);

function applyBytes(bytes: Buffer, { kind, at, length, bytes: noise }: ByteStep): Buffer {
  const start = at % (bytes.length + 1);
  const piece = bytes.subarray(start, start + length);
  const [before, after] = [bytes.subarray(0, start), bytes.subarray(start + piece.length)];
  if (kind === 'delete') return Buffer.concat([before, after]);
  if (kind === 'insert') return Buffer.concat([before, noise, piece, after]);
  if (kind === 'repeat') return Buffer.concat([before, piece, piece, after]);
  return Buffer.concat([before, piece.map((byte) => byte ^ 1), after]);
}

export function frame(framing: Framing, texts: readonly string[], end: string = '\n'): Buffer {
  if (framing === 'json-array') return Buffer.from(`[${texts.join(`,${end}`)}]`);
  return Buffer.from(texts.map((text) => `data: ${text}${end}${end}`).join(''));
}

/** The bytes of a stream that is more or less one of this format, and where the network cuts them. */
export interface Arriving {
  readonly framing: Framing;
  readonly bytes: Buffer;
  readonly cuts: readonly number[];
}

export const generateStream = (protocol: ClientProtocol): fc.Arbitrary<Arriving> =>
  fc
    .record({
      framing: CODECS[protocol].streamsJsonArrays
        ? fc.constantFrom<Framing>('sse', 'json-array')
        : fc.constant<Framing>('sse'),
      list: steps,
      noise: byteSteps,
      end: fc.constantFrom(...ENDS),
      cuts: fc.array(fc.nat(5_000), { maxLength: 12 }),
    })
    .map(({ framing, list, noise, end, cuts }) => ({
      framing,
      bytes: readable(noise.reduce(applyBytes, frame(framing, eventTexts(protocol, list), end))),
      cuts,
    }));

/** Bytes of no format at all. */
export const anyBytes: fc.Arbitrary<Arriving> = fc.record({
  framing: fc.constantFrom<Framing>('sse', 'json-array'),
  bytes: fc
    .array(fc.oneof(fc.constantFrom(...NOISE), fc.uint8Array({ maxLength: 8 })), { maxLength: 40 })
    .map((pieces) => readable(Buffer.concat(pieces))),
  cuts: fc.array(fc.nat(200), { maxLength: 6 }),
});

export function toPieces({ bytes, cuts }: Arriving): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}
