import { readFileSync } from 'node:fs';
import type { StreamFraming } from '@tollgate/protocols';
import type { ClientProtocol, TokenCounts } from '@tollgate/vocabulary';
import { createMeter, type Ending, tokenWeight } from './index.ts';

const REQUEST = 33;
const endings: Ending[] = ['complete', 'client_aborted', 'upstream_cut'];

const golden: [name: string, protocol: ClientProtocol, stream: StreamFraming, tokens: TokenCounts][] = [
  ['openai-chat.sse', 'openai-chat', 'sse', { input: 24, cache_read: 16, output: 20, output_reasoning: 5 }],
  [
    'openai-responses.sse',
    'openai-responses',
    'sse',
    { input: 20, cache_read: 32, cache_write: 8, output: 18, output_reasoning: 12 },
  ],
  [
    'anthropic-messages.sse',
    'anthropic-messages',
    'sse',
    { input: 22, cache_read: 100, cache_write: 30, cache_write_1h: 20, output: 35, output_reasoning: 9 },
  ],
  ['gemini.sse', 'gemini', 'sse', { input: 18, cache_read: 12, output: 18, output_reasoning: 6 }],
  ['gemini.json', 'gemini', 'json-array', { input: 18, cache_read: 12, output: 18, output_reasoning: 6 }],
];

const read = (name: string) =>
  readFileSync(new URL(`../../protocols/src/golden/streams/${name}`, import.meta.url));
const bytewise = (bytes: Buffer) => [...bytes].map((byte) => Buffer.from([byte]));

function metered(protocol: ClientProtocol, stream: StreamFraming, chunks: readonly Buffer[], ending: Ending) {
  const meter = createMeter(protocol, { stream, requestEstimate: REQUEST });
  for (const chunk of chunks) meter.feed(chunk);
  return meter.finish(ending);
}
const sse = (...events: object[]) =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
const weight = (text: string) => Math.ceil(tokenWeight(text));

describe.each(golden)('%s', (name, protocol, stream, tokens) => {
  const bytes = read(name);

  test.each(endings)('its final report counts, however it ends: %s', (ending) => {
    expect(metered(protocol, stream, [bytes], ending)).toEqual({ tokens, source: 'upstream' });
  });

  test('gives the same byte by byte', () => {
    expect(metered(protocol, stream, bytewise(bytes), 'complete')).toEqual({ tokens, source: 'upstream' });
  });

  test.each(endings)('cut at any byte it gives the same in one chunk and byte by byte: %s', (ending) => {
    for (let end = 0; end < bytes.length; end += 7) {
      const cut = bytes.subarray(0, end);
      expect(metered(protocol, stream, bytewise(cut), ending)).toEqual(
        metered(protocol, stream, [cut], ending),
      );
    }
  });

  test('cut at any byte it has whole counts, estimated at first and reported in the end', () => {
    const sources = new Set<string>();
    for (let end = 0; end <= bytes.length; end += 1) {
      const { source, tokens: counts } = metered(protocol, stream, [bytes.subarray(0, end)], 'upstream_cut');
      sources.add(source);
      if (source === 'estimated') expect([undefined, REQUEST]).toContain(counts.input);
      for (const count of Object.values(counts)) expect(Number.isInteger(count) && count >= 0).toBe(true);
    }
    expect(sources).toContain('upstream');
    expect(sources).toContain('estimated');
  });
});

describe('Chat', () => {
  const text = (content: string, usage: object | null = null) => ({
    choices: [{ delta: { content } }],
    usage,
  });

  test.each(endings)('without a report is estimated from what passed: %s', (ending) => {
    const bytes = sse(text('Hello there, '), text('世界'), { choices: [] });
    expect(metered('openai-chat', 'sse', [bytes], ending)).toEqual({
      tokens: { input: REQUEST, output: weight('Hello there, 世界') },
      source: 'estimated',
    });
  });

  test.each([
    ['client_aborted', { input: REQUEST }],
    ['upstream_cut', {}],
  ] as const)(
    'that passed nothing is estimated by its request alone, or by nothing where it was cut: %s',
    (ending, tokens) => {
      expect(metered('openai-chat', 'sse', [], ending)).toEqual({ tokens, source: 'estimated' });
    },
  );

  test('reports that grow replace each other', () => {
    const bytes = sse(
      text('a', { prompt_tokens: 10, completion_tokens: 1 }),
      text('b', { prompt_tokens: 10, completion_tokens: 2 }),
      text('c', { prompt_tokens: 10, completion_tokens: 3 }),
    );
    expect(metered('openai-chat', 'sse', [bytes], 'complete')).toEqual({
      tokens: { input: 10, output: 3 },
      source: 'upstream',
    });
  });

  test('a report of zeros is none', () => {
    const bytes = sse(text('abcd'), { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } });
    expect(metered('openai-chat', 'sse', [bytes], 'complete').source).toBe('estimated');
  });

  test('reasoning, refusals and tool arguments are output too', () => {
    const call = { index: 0, function: { name: 'find', arguments: '{"a":1}' } };
    const bytes = sse(
      { choices: [{ delta: { reasoning_content: 'thinking' } }] },
      { choices: [{ delta: { refusal: 'no' } }] },
      { choices: [{ delta: { tool_calls: [call] } }] },
    );
    expect(metered('openai-chat', 'sse', [bytes], 'complete').tokens).toEqual({
      input: REQUEST,
      output: weight('thinkingnofind{"a":1}'),
    });
  });
});

describe('Responses', () => {
  const delta = { type: 'response.output_text.delta', delta: 'Hello there' };
  const ended = (type: string, usage?: object) => ({ type, response: { id: 'r', usage } });

  test.each(['response.completed', 'response.incomplete', 'response.failed'])('%s reports', (type) => {
    const bytes = sse(delta, ended(type, { input_tokens: 4, output_tokens: 6 }));
    expect(metered('openai-responses', 'sse', [bytes], 'complete')).toEqual({
      tokens: { input: 4, output: 6 },
      source: 'upstream',
    });
  });

  test('what is said again at the end is counted once', () => {
    const done = { type: 'response.output_text.done', text: 'Hello there' };
    const bytes = sse(delta, done, ended('response.completed'));
    expect(metered('openai-responses', 'sse', [bytes], 'complete')).toEqual({
      tokens: { input: REQUEST, output: weight('Hello there') },
      source: 'estimated',
    });
  });
});

describe('Anthropic', () => {
  const start = (usage: object) => ({ type: 'message_start', message: { usage } });
  const text = (said: string) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text: said } });
  const delta = (usage: object) => ({ type: 'message_delta', delta: {}, usage });
  const begin = { input_tokens: 100, cache_read_input_tokens: 7, output_tokens: 2 };

  test('message_delta overwrites what it names and keeps the rest', () => {
    const bytes = sse(
      start({ ...begin, cache_creation_input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 9 } }),
      delta({ input_tokens: 40, cache_read_input_tokens: null, output_tokens: 5 }),
      delta({ output_tokens: 8 }),
    );
    expect(metered('anthropic-messages', 'sse', [bytes], 'complete')).toEqual({
      tokens: { input: 40, cache_read: 7, cache_write_1h: 9, output: 8 },
      source: 'upstream',
    });
  });

  test('message_delta may set a count to zero', () => {
    const bytes = sse(
      start(begin),
      delta({ input_tokens: 0, cache_read_input_tokens: 107, output_tokens: 5 }),
    );
    expect(metered('anthropic-messages', 'sse', [bytes], 'complete').tokens).toEqual({
      cache_read: 107,
      output: 5,
    });
  });

  test.each(endings)('without message_delta the output is lifted to what passed: %s', (ending) => {
    const said = 'This is a rather long answer that nobody reported.';
    expect(metered('anthropic-messages', 'sse', [sse(start(begin), text(said))], ending)).toEqual({
      tokens: { input: 100, cache_read: 7, output: weight(said) },
      source: 'partial',
    });
  });

  test('a report is never lowered to what passed', () => {
    expect(metered('anthropic-messages', 'sse', [sse(start(begin), text('a'))], 'client_aborted')).toEqual({
      tokens: { input: 100, cache_read: 7, output: 2 },
      source: 'partial',
    });
  });
});

describe('Gemini', () => {
  const part = (said: string, usage?: object, finishReason?: string) => ({
    candidates: [{ content: { parts: [{ text: said }] }, finishReason }],
    usageMetadata: usage,
  });
  const first = part('Hello ', { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 });

  test.each([
    ['complete', 'upstream'],
    ['client_aborted', 'partial'],
    ['upstream_cut', 'partial'],
  ] as const)('the last running report counts, as %s it is %s', (ending, source) => {
    const second = part('there', { promptTokenCount: 5, candidatesTokenCount: 4, totalTokenCount: 9 });
    expect(metered('gemini', 'sse', [sse(first, second)], ending)).toEqual({
      tokens: { input: 5, output: 4 },
      source,
    });
  });

  test('a running report of the prompt alone is lifted to what passed', () => {
    const silent = part('Hello there, my friend', { promptTokenCount: 5, totalTokenCount: 5 });
    expect(metered('gemini', 'sse', [sse(silent)], 'upstream_cut')).toEqual({
      tokens: { input: 5, output: weight('Hello there, my friend') },
      source: 'partial',
    });
  });

  test('a finished candidate makes its report final', () => {
    const last = part('.', { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 }, 'STOP');
    expect(metered('gemini', 'sse', [sse(first, last)], 'client_aborted').source).toBe('upstream');
  });
});

test.each([
  ['at the top', { usage: { prompt_tokens: 9, completion_tokens: 4 } }],
  [
    'in the choice',
    { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 9, completion_tokens: 4 } }] },
  ],
  ['where Groq has it', { choices: [], x_groq: { usage: { prompt_tokens: 9, completion_tokens: 4 } } }],
])('usage of a Chat stream is read %s', (_, event) => {
  const said = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
  expect(metered('openai-chat', 'sse', [sse(said, event)], 'complete')).toEqual({
    tokens: { input: 9, output: 4 },
    source: 'upstream',
  });
});

test('an answer that tells its end in an event without a blank line is complete once all bytes have passed', () => {
  const meter = createMeter('openai-chat', { stream: 'sse', requestEstimate: 1 });
  meter.feed(Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}'));
  expect(meter.complete()).toBe(false);
  meter.end();
  expect(meter.complete()).toBe(true);
});

test('the last whole event is kept for an error that continues it', () => {
  const meter = createMeter('openai-responses', { stream: 'sse', requestEstimate: 1 });
  expect(meter.last()).toBeUndefined();
  meter.feed(sse({ sequence_number: 1 }, { sequence_number: 2 }));
  meter.feed(Buffer.from('data: {"sequence_number":3}'));
  expect(meter.last()).toEqual({ sequence_number: 2 });
  meter.feed(Buffer.from('\n\ndata: no json\n\ndata: [DONE]\n\n: comment\n\n'));
  expect(meter.last()).toEqual({ sequence_number: 3 });
});
