import { type AnswerRules, CODECS } from '@tollgate/protocols';
import fc from 'fast-check';
import { chat, data, OTHERS, SIGNED, type Vendor, VENDORS } from '../testing/vendor-events.ts';
import { EventPattern } from './event-pattern.ts';
import { createMeter } from './index.ts';
import { createTextEvents } from './text-events.ts';

const ALL = [': still here\n\n', 'data: [DONE]\n\n', 'data: {"a\n\n', 'data: {}\r\n\r\n', 'data:\n\n'];

const texts = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(' the', 'a\nb', '"', '\\', '世界', '🚀', '', 'assistant', '\u0000', 'usage', ' '),
);

/** Events of one kind with the same state, or parts of it. */
const signedRun = (vendor: Vendor) =>
  fc
    .tuple(
      fc.constantFrom(...SIGNED[vendor]),
      fc.constantFrom('one', 'two', '~'),
      fc.array(texts, { minLength: 1, maxLength: 3 }),
    )
    .map(([signed, state, said]) => said.map((text) => signed(text, state)));

/** A stream, and where it is cut. */
const streamOf = (vendor: Vendor) =>
  fc.record({
    parts: fc
      .array(
        fc.oneof(
          {
            weight: 8,
            arbitrary: fc.tuple(texts, fc.nat(20)).map(([text, n]) => [VENDORS[vendor](text, n)]),
          },
          { weight: 1, arbitrary: fc.constantFrom(...OTHERS[vendor], ...ALL).map((other) => [other]) },
          { weight: 1, arbitrary: signedRun(vendor) },
        ),
        { minLength: 1, maxLength: 30 },
      )
      .map((runs) => runs.flat()),
    /** So that a stream is often nearly what it was: one byte of it is another. */
    change: fc.option(fc.tuple(fc.nat(4_000), fc.constantFrom('"', '\\', '{', '}', 'x', '0', '\n', '\r'))),
    cuts: fc.array(fc.nat(200), { maxLength: 12 }),
    perEvent: fc.boolean(),
  });

function chunksOf({ parts, change, cuts, perEvent }: Parameters<typeof meteredBy>[1]): Buffer[] {
  const changed = (bytes: Buffer) => {
    if (!change) return bytes;
    const [at, by] = change;
    const other = Buffer.from(bytes);
    other.write(by, at % bytes.length, 'latin1');
    return other;
  };
  const whole = changed(Buffer.from(parts.join('')));
  const chunks: Buffer[] = [];
  let from = 0;
  for (const length of perEvent ? parts.map((part) => Buffer.byteLength(part)) : cuts) {
    chunks.push(whole.subarray(from, from + length));
    from += length;
  }
  return [...chunks, whole.subarray(from)];
}

const PIECE = 8;
const cutUp = (chunk: Buffer) =>
  Array.from({ length: Math.ceil(chunk.length / PIECE) }, (_, n) =>
    chunk.subarray(n * PIECE, (n + 1) * PIECE),
  );

interface Listening {
  readonly collects: boolean;
  readonly reportsCost: boolean;
  /** It comes in pieces of which none has a whole event, so that each is parsed. */
  readonly inPieces?: boolean;
}

/** All that a meter tells of a stream, after each chunk and at its end, and what was collected beside. */
function meteredBy(
  vendor: Vendor,
  stream: {
    readonly parts: readonly string[];
    readonly change: [number, string] | null;
    readonly cuts: readonly number[];
    readonly perEvent: boolean;
  },
  { collects, reportsCost, inPieces = false }: Listening,
) {
  const answers: unknown[] = [];
  for (const ending of ['complete', 'client_aborted', 'upstream_cut'] as const) {
    const collector = CODECS[vendor].states.collector();
    const states = collects ? collector : undefined;
    const meter = createMeter(vendor, { stream: 'sse', requestEstimate: 33, states, reportsCost });
    for (const chunk of chunksOf(stream)) {
      for (const piece of inPieces ? cutUp(chunk) : [chunk]) meter.feed(piece);
      answers.push(meter.last(), meter.complete(), meter.failed());
    }
    meter.end();
    answers.push(meter.last(), meter.complete(), meter.failed(), meter.finishReasons(), meter.finish(ending));
    if (collects) answers.push(collector.states());
  }
  return answers;
}

test.each(Object.keys(VENDORS) as Vendor[])(
  '%s: what passes unparsed is metered and collected as if each event were parsed',
  (vendor) => {
    const listening = fc.record({ collects: fc.boolean(), reportsCost: fc.boolean() });
    fc.assert(
      fc.property(streamOf(vendor), listening, (stream, listens) => {
        expect(meteredBy(vendor, stream, listens)).toEqual(
          meteredBy(vendor, stream, { ...listens, inPieces: true }),
        );
      }),
      { numRuns: 300 },
    );
  },
);

/** What a meter of whole events shows to its collector, and what that has of it. */
function collectedOf(vendor: Vendor, records: readonly string[]) {
  const collector = CODECS[vendor].states.collector();
  const read = jest.fn(collector.read);
  const states = { ...collector, read };
  const meter = createMeter(vendor, { stream: 'sse', requestEstimate: 33, states, reportsCost: true });
  for (const record of records) meter.feed(Buffer.from(record));
  return { reads: read.mock.calls.length, states: collector.states() };
}

test.each(Object.keys(VENDORS) as Vendor[])(
  '%s: of events of a text who collects states and costs is shown the first',
  (vendor) => {
    const records = [' a', ' b', '"', ' c', '世界'].map((text, n) => VENDORS[vendor](text, 15 * n + 1));
    expect(collectedOf(vendor, records)).toEqual({ reads: 1, states: [] });
  },
);

test.each(Object.keys(VENDORS) as Vendor[])(
  '%s: each event is shown that bears a state beside its text',
  (vendor) => {
    for (const signed of SIGNED[vendor]) {
      const records = ['a', 'b', 'b', 'c'].map((text) => signed(text, 'state'));
      const parsed = CODECS[vendor].states.collector();
      for (const record of records) parsed.read(JSON.parse(record.slice('data: '.length)));
      expect(collectedOf(vendor, records)).toEqual({ reads: records.length, states: parsed.states() });
      expect(parsed.states().join('')).toBe('state'.repeat(records.length));
    }
  },
);

const patternOf = (record: string, text: string, textOf: (json: string) => string | undefined) =>
  EventPattern.of({ raw: Buffer.from(record), json: record.slice(6, -2), text }, textOf);

test.each(Object.keys(VENDORS) as Vendor[])('%s: nearly all events of a text are passed', (vendor) => {
  let parsed = 0;
  const { emittedText } = CODECS[vendor];
  const record = VENDORS[vendor]('Hello', 1);
  const at = record.indexOf('data: ');
  const pattern = EventPattern.of(
    { raw: Buffer.from(record), json: record.slice(at + 6, -2), text: 'Hello' },
    (json) => {
      parsed += 1;
      return emittedText(JSON.parse(json));
    },
  );
  expect(parsed).toBeGreaterThan(0);
  for (const [text, n] of [
    [' you', 2],
    ['a\n"b"', 4],
    ['世界', 7],
    ['x', 11],
  ] as const) {
    const bytes = Buffer.from(VENDORS[vendor](text, n));
    expect(pattern?.match(bytes, 0)).toBe(bytes.length);
    expect(pattern?.text()).toBe(text);
  }
});

test('what the event says must be what differs', () => {
  const said = (json: string) => (JSON.parse(json) as { a: string }).a;
  expect(patternOf('data: {"a":"x"}\n\n', 'x', said)).toBeDefined();
  // The text stands in two places, or in another one than it was read from.
  expect(patternOf('data: {"a":"x","b":"x"}\n\n', 'x', said)).toBeUndefined();
  expect(patternOf('data: {"b":"x"}\n\n', 'x', () => 'x')).toBeUndefined();
  // What looks like padding is what is said.
  const padded = (json: string) => (JSON.parse(json) as { p: string }).p;
  expect(patternOf('data: {"p":"x"}\n\n', 'x', padded)).toBeUndefined();
  // What is put in its place, to see what depends on it, is another text.
  expect(patternOf('data: {"a":"\\u007e","b":"~"}\n\n', '~', said)).toBeUndefined();
  expect(patternOf('data: {"a":"~"}\n\n', '~', said)).toBeDefined();
});

test.each(['"p":"~"', '"p":"x"', '"sequence_number":7', '"sequence_number":5'])(
  'what tells more by its padding %s has no pattern',
  (padding) => {
    const said = (json: string) =>
      json.includes(padding) ? (JSON.parse(json) as { a: string }).a : undefined;
    expect(patternOf(`data: {"a":"x",${padding}}\n\n`, 'x', said)).toBeUndefined();
  },
);

/** How many bytes pass unparsed behind an event of these rules that was read. */
function passedAfter(
  record: string,
  next: string,
  rules: Partial<AnswerRules> = {},
  listening: Omit<Parameters<typeof createTextEvents>[0], 'codec'> = {},
): number {
  const events = createTextEvents({ codec: { ...CODECS['openai-chat'], ...rules }, ...listening });
  const text = CODECS['openai-chat'].emittedText(JSON.parse(record.slice(6, -2)));
  const known = { usage: undefined, extras: undefined };
  events.remember({ raw: Buffer.from(record), json: record.slice(6, -2), text }, known);
  return events.pass(Buffer.from(next), () => {});
}
const HELLO = data(chat({ content: 'Hello' }));

test('events that say a text alone pass', () => {
  expect(passedAfter(HELLO, HELLO + HELLO)).toBe(2 * HELLO.length);
});

test.each<[string, Partial<AnswerRules>]>([
  ['fails', { findFailure: () => ({ message: undefined, status: 500 }) }],
  ['announces', { isPreamble: () => true }],
  ['ends', { isFinal: () => true }],
  [
    'reports usage',
    {
      usage: {
        ...CODECS['openai-chat'].usage,
        findInEvent: () => ({ usage: {}, final: true, cumulative: true }),
      },
    },
  ],
  [
    'adds to what is billed beside',
    { extras: { findInBody: () => undefined, findInEvent: () => ({ pictures: 1 }) } },
  ],
])('none passes that is like one that %s', (_what, rules) => {
  expect(passedAfter(HELLO, HELLO, rules)).toBe(0);
});

test('none passes that is like one that says what it costs, where that is asked', () => {
  const record = data(chat({ content: 'Hello' }, { usage: { cost: 0.1 } }));
  const rules = { usage: { ...CODECS['openai-chat'].usage, findInEvent: () => undefined } };
  expect(passedAfter(record, record, rules)).toBe(record.length);
  expect(passedAfter(record, record, rules, { reportsCost: true })).toBe(0);
});

const numbered = (number: string, text = 'Hello') =>
  `data: {"choices":[{"delta":{"content":"${text}"}}],"sequence_number":${number}}\n\n`;

test.each([
  ['a control character', numbered('2', 'a\u0001b')],
  ['a wrong escape', numbered('2', 'a\\x')],
  ['no text', numbered('2', '')],
  ['a number that is none', numbered('02')],
  ['no number', numbered('')],
  ['half of it', numbered('2').slice(0, -1)],
])('an event with %s is parsed', (_what, record) => {
  expect(passedAfter(numbered('1'), numbered('20'))).toBe(numbered('20').length);
  expect(passedAfter(numbered('1'), record)).toBe(0);
});

test('what goes on in a line of the same event is no event of its own', () => {
  const stream = { parts: [HELLO, HELLO, 'data: [\n', HELLO, HELLO], change: null, cuts: [], perEvent: true };
  const listens = { collects: true, reportsCost: false };
  expect(meteredBy('openai-chat', stream, listens)).toEqual(
    meteredBy('openai-chat', stream, { ...listens, inPieces: true }),
  );
});
