import { type AnswerRules, CODECS } from '@tollgate/protocols';
import fc from 'fast-check';
import { EventPattern } from './event-pattern.ts';
import { createMeter } from './index.ts';
import { createTextEvents } from './text-events.ts';

const MODEL = { id: 'a', model: 'gpt-4.1', system_fingerprint: 'fp', service_tier: 'default' };
const chat = (delta: object, more: object = {}) => ({
  ...MODEL,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  usage: null,
  ...more,
});
const data = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
/** As Anthropic fills its events up. */
const spaced = (record: string, spaces: number) => record.replace(/\}\n\n$/, `${' '.repeat(spaces)}}\n\n`);

/** One way in which a vendor sends a text. */
const VENDORS = {
  'openai-chat': (text: string, n: number) =>
    data(chat({ content: text }, n % 3 === 0 ? {} : { obfuscation: 'x'.repeat(n % 7) })),
  'openai-responses': (text: string, n: number) =>
    named({
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      delta: text,
      sequence_number: n,
      obfuscation: 'x'.repeat(n % 7),
    } as { type: string }),
  'anthropic-messages': (text: string, n: number) =>
    spaced(
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as {
        type: string;
      }),
      n % 4,
    ),
  gemini: (text: string, n: number) =>
    data({
      candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }],
      ...(n % 5 === 0 ? { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: n } } : {}),
    }),
} as const;
type Vendor = keyof typeof VENDORS;

/** What may stand between texts: reports, ends, failures, other choices, comments, line ends of another kind, and what is no JSON. */
const OTHERS: Readonly<Record<Vendor, readonly string[]>> = {
  'openai-chat': [
    data(chat({ role: 'assistant', content: '' })),
    data(chat({}, { usage: { prompt_tokens: 5, completion_tokens: 2 } })),
    data(chat({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })),
    data(chat({}, { choices: [{ index: 1, delta: { content: 'other' } }] })),
    data(chat({ content: 'usage', annotations: [{ type: 'url_citation' }] })),
    data(chat({ content: 'tier' }, { service_tier: 'priority' })),
    data({ error: { message: 'overloaded' } }),
    data(chat({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] })),
    data(chat({ content: 'both', reasoning_content: 'both' })),
  ],
  'openai-responses': [
    named({ type: 'response.output_item.done', item: { type: 'web_search_call' } } as { type: string }),
    named({ type: 'response.completed', response: { usage: { input_tokens: 5, output_tokens: 2 } } } as {
      type: string;
    }),
    named({ type: 'response.failed', response: {} } as { type: string }),
  ],
  'anthropic-messages': [
    named({ type: 'message_start', message: { usage: { input_tokens: 5 } } } as { type: string }),
    named({ type: 'message_delta', delta: {}, usage: { output_tokens: 7 } } as { type: string }),
    named({ type: 'message_stop' }),
    named({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{' },
    } as {
      type: string;
    }),
    'event: ping\ndata: {"type": "ping"}\n\n',
  ],
  gemini: [
    data({ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] }),
    data({ candidates: [{ content: { parts: [{ text: 'a' }, { text: 'b' }] } }] }),
    data({ candidates: [{ groundingMetadata: { webSearchQueries: ['a'] } }] }),
  ],
};
const ALL = [': still here\n\n', 'data: [DONE]\n\n', 'data: {"a\n\n', 'data: {}\r\n\r\n', 'data:\n\n'];

const texts = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(' the', 'a\nb', '"', '\\', '世界', '🚀', '', 'assistant', '\u0000', 'usage', ' '),
);

/** A stream, and where it is cut. */
const streamOf = (vendor: Vendor) =>
  fc.record({
    parts: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.tuple(texts, fc.nat(20)).map(([text, n]) => VENDORS[vendor](text, n)) },
        { weight: 1, arbitrary: fc.constantFrom(...OTHERS[vendor], ...ALL) },
      ),
      { minLength: 1, maxLength: 30 },
    ),
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
  if (perEvent && !change) return parts.map((part) => Buffer.from(part));
  const whole = changed(Buffer.from(parts.join('')));
  const chunks: Buffer[] = [];
  let from = 0;
  for (const length of cuts) {
    chunks.push(whole.subarray(from, from + length));
    from += length;
  }
  return [...chunks, whole.subarray(from)];
}

/** All that a meter tells of a stream, after each chunk and at its end. */
function meteredBy(
  vendor: Vendor,
  stream: {
    readonly parts: readonly string[];
    readonly change: [number, string] | null;
    readonly cuts: readonly number[];
    readonly perEvent: boolean;
  },
  onEvent?: (event: unknown) => void,
) {
  const answers: unknown[] = [];
  for (const ending of ['complete', 'client_aborted', 'upstream_cut'] as const) {
    const meter = createMeter(vendor, { stream: 'sse', requestEstimate: 33, onEvent });
    for (const chunk of chunksOf(stream)) {
      meter.feed(chunk);
      answers.push(meter.last(), meter.complete(), meter.failed());
    }
    meter.end();
    answers.push(meter.last(), meter.complete(), meter.failed(), meter.finishReasons(), meter.finish(ending));
  }
  return answers;
}

test.each(Object.keys(VENDORS) as Vendor[])(
  '%s: what passes unparsed is metered as if each event were parsed',
  (vendor) => {
    fc.assert(
      fc.property(streamOf(vendor), (stream) => {
        // Whoever is shown each event has each of them parsed.
        expect(meteredBy(vendor, stream)).toEqual(meteredBy(vendor, stream, () => {}));
      }),
      { numRuns: 300 },
    );
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
});

/** How many bytes pass unparsed behind an event of these rules that was read. */
function passedAfter(record: string, next: string, rules: Partial<AnswerRules> = {}): number {
  const events = createTextEvents({ ...CODECS['openai-chat'], ...rules });
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
  expect(meteredBy('openai-chat', stream)).toEqual(meteredBy('openai-chat', stream, () => {}));
});
