import fc from 'fast-check';
import { findTaskClient, readTask } from '../decode-task.ts';
import type { TaskConversion } from '../task-codec.ts';
import { measureSound, toMilliseconds } from './sound-length.ts';
import { speak } from './speak.ts';
import { transcribe, translate } from './transcribe.ts';

test.each([
  [12.345, 12_345],
  [12.3451, 12_346],
  ['8.470000267028809', 8_471],
  [9, 9_000],
  ['0.1', 100],
  [1e-7, 1],
  [0, 0],
  ['5e-1', 500],
  [1.5e-7, 1],
  ['1.0010000000000000000001', 1_002],
  // Longer than anything is: what was held bounds it.
  [1e21, 1e12],
  ['1e9', 1e12],
  ['1e99', 1e12],
  [`1${'0'.repeat(40)}`, undefined],
  ['-1', undefined],
  ['', undefined],
  ['1,5', undefined],
  [Number.NaN, undefined],
  [null, undefined],
])('%j seconds are %j milliseconds', (seconds, ms) => {
  expect(toMilliseconds(seconds)).toBe(ms);
});

test('whole milliseconds stay what they are, as a number and as a text', () => {
  fc.assert(
    fc.property(fc.nat(100_000_000), (ms) => {
      const text = `${Math.floor(ms / 1_000)}.${String(ms % 1_000).padStart(3, '0')}`;
      expect([toMilliseconds(text), toMilliseconds(Number(text))]).toEqual([ms, ms]);
    }),
  );
});

function header(of: {
  format?: number;
  channels?: number;
  rate?: number;
  align?: number;
  bits?: number;
}): string {
  const bytes = Buffer.alloc(44);
  bytes.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  bytes.writeUInt16LE(of.format ?? 1, 20);
  bytes.writeUInt16LE(of.channels ?? 1, 22);
  bytes.writeUInt32LE(of.rate ?? 16_000, 24);
  bytes.writeUInt16LE(of.align ?? 2, 32);
  bytes.writeUInt16LE(of.bits ?? 16, 34);
  return bytes.toString('base64');
}

test.each([
  ['as its header says', header({}), 10_000, 11_000],
  // Whoever writes a greater alignment would have a shorter sound held.
  ['by its samples, whatever else its header says', header({ align: 64_000 }), 10_000, 11_000],
  ['of two channels', header({ channels: 2, align: 4 }), 5_000, 6_000],
  ['that is packed, by its size', header({ format: 85 }), 40_000, 641_000],
  ['without a rate, by its size', header({ rate: 0 }), 40_000, 641_000],
  ['that is no WAV, by its size', Buffer.from('ID3').toString('base64'), 40_000, 641_000],
  [
    'whose header is cut, by its size',
    Buffer.from(header({}), 'base64').subarray(0, 30).toString('base64'),
    40_000,
    641_000,
  ],
])('a sound is measured %s', (_what, beginning, counted, max) => {
  expect(measureSound({ bytes: 320_000, beginning })).toEqual({ counted, max });
});

const conversion = (body: object): TaskConversion => ({
  from: 'openai',
  to: 'openai',
  bytes: Buffer.from(JSON.stringify(body)),
  body: body as TaskConversion['body'],
  model: 'm',
  namedModel: 'm',
  upstreamModel: 'theirs',
  maxInputs: undefined,
  strict: false,
});

test.each([
  [transcribe, {}, { model: 'theirs' }],
  [transcribe, { response_format: 'text' }, { model: 'theirs', response_format: 'json' }],
  [transcribe, { response_format: 'vtt' }, { model: 'theirs', response_format: 'verbose_json' }],
  [transcribe, { response_format: 'text', stream: 'true' }, { model: 'theirs', response_format: 'json' }],
  [transcribe, { response_format: 'diarized_json' }, { model: 'theirs' }],
  [translate, {}, { model: 'theirs', response_format: 'verbose_json' }],
  [translate, { response_format: 'verbose_json' }, { model: 'theirs' }],
])('%# an upstream is asked for what says its usage', (codec, body, form) => {
  expect(codec.convert(conversion(body))).toMatchObject({ ok: true, form });
});

test.each([
  [transcribe, { response_format: 'srt', stream: 'true' }, 'verbose_json'],
  [translate, { stream: 'true' }, 'verbose_json'],
])('%# what is never a stream is asked for and given whole', (codec, body, response_format) => {
  const converted = codec.convert(conversion(body));
  expect(converted.ok && converted.form).toEqual({ model: 'theirs', response_format, stream: undefined });
  expect(converted.ok && Object.hasOwn(converted.form ?? {}, 'stream')).toBe(true);
  expect(converted.ok && converted.toAnswer([SEGMENTS], 0)).not.toBe('as it is');
});

const SEGMENTS = {
  text: 'Hello you.',
  duration: '3661.5',
  segments: [
    { start: 0, end: 1.5, text: ' Hello' },
    { start: 3600.25, end: '3661.5', text: ' you --> me.' },
  ],
};

test.each([
  ['text', SEGMENTS, { text: 'Hello you.\n' }],
  [
    'srt',
    SEGMENTS,
    { text: '1\n00:00:00,000 --> 00:00:01,500\nHello\n\n2\n01:00:00,250 --> 01:01:01,500\nyou --> me.\n\n' },
  ],
  [
    'vtt',
    SEGMENTS,
    {
      text: 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello\n\n01:00:00.250 --> 01:01:01.500\nyou -> me.\n\n',
    },
  ],
  ['srt', { text: 'Hello' }, 'unreadable'],
  ['srt', { segments: [{ text: 'Hello' }] }, 'unreadable'],
  ['text', {}, 'unreadable'],
  ['text', [], 'unreadable'],
])('a transcript as %s', (format, answer, rendered) => {
  const converted = transcribe.convert(conversion({ response_format: format }));
  expect(converted.ok && converted.toAnswer([answer], 0)).toEqual(rendered);
});

const rules = transcribe.upstreams.openai?.rules;

test.each([
  [{ usage: { type: 'duration', seconds: 12.345 }, duration: 99 }, 12_345],
  [SEGMENTS, 3_661_500],
  [{ segments: SEGMENTS.segments }, 3_661_500],
  [{ text: 'Hello' }, undefined],
  [{ usage: { type: 'tokens', input_tokens: 3 } }, undefined],
])('%j says how long the sound was', (answer, ms) => {
  expect(rules?.extras.findInBody(answer)?.units?.audio_milliseconds).toBe(ms);
});

test.each([
  [
    { input_tokens: 14, input_token_details: { text_tokens: 4, audio_tokens: 10 }, output_tokens: 5 },
    { input: 4, input_audio: 10, output: 5 },
  ],
  [
    { input_tokens: 14, output_tokens: 5 },
    { input_audio: 14, output: 5 },
  ],
  [{ input_tokens: 4, input_token_details: { audio_tokens: 10 } }, { input_audio: 4 }],
])('%j are these tokens', (usage, tokens) => {
  expect(rules?.usage.toTokens({ type: 'tokens', ...usage })).toEqual(tokens);
});

test('only a model that bills tokens, and knows events, is asked for the events of what it says', () => {
  const asked = (pricedUnits: TaskConversion['pricedUnits'], upstreamModel: string, body: object = {}) => {
    const converted = speak.convert({
      ...conversion({ model: 'm', ...body }),
      upstreamModel,
      ...(pricedUnits ? { pricedUnits } : {}),
    });
    return converted.ok && [converted.bodies[0]?.toString(), converted.bytesType];
  };
  expect(asked([], 'gpt', { response_format: 'wav' })).toEqual([
    '{"stream_format":"sse","model":"gpt","response_format":"wav"}',
    'audio/wav',
  ]);
  expect(asked([], 'gpt', { stream_format: 'audio' })).toEqual([
    '{"model":"gpt","stream_format":"sse"}',
    'audio/mpeg',
  ]);
  expect(asked(['characters'], 'gpt')).toEqual(['{"model":"gpt"}', undefined]);
  expect(asked([], 'tts-1-hd')).toEqual(['{"model":"tts-1-hd"}', undefined]);
  expect(asked([], 'gpt', { stream_format: 'sse' })).toEqual([
    '{"model":"gpt","stream_format":"sse"}',
    undefined,
  ]);
});

test('sound is taken out of events, wherever they are cut', () => {
  const pieces = ['one', 'two', 'three'].map((text) => Buffer.from(text));
  const stream = Buffer.from(
    [
      ...pieces.map((piece) => ({ type: 'speech.audio.delta', audio: piece.toString('base64') })),
      { type: 'speech.audio.done', usage: {} },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join(''),
  );
  for (const size of [1, 7, stream.length]) {
    const rewriter = speak.upstreams.openai?.bytes?.unwrap();
    const out: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size)
      out.push(rewriter?.push(stream.subarray(at, at + size)) ?? Buffer.alloc(0));
    expect(Buffer.concat(out).toString()).toBe('onetwothree');
  }
});

test.each([
  ['transcribe', { file: { filename: 'a', bytes: 1 }, stream: 'true' }, true],
  ['transcribe', { file: { filename: 'a', bytes: 1 } }, false],
  ['transcribe', { file: { filename: 'a', bytes: 1 }, stream: 'True', response_format: 'srt' }, false],
  ['transcribe', { file: { filename: 'a', bytes: 1 }, stream: 'true', response_format: 'vtt' }, false],
  ['translate', { file: { filename: 'a', bytes: 1 }, stream: 'true' }, false],
  ['speak', { input: 'a', stream_format: 'sse' }, true],
  ['speak', { input: 'a', stream: true }, false],
] as const)('%s of %j is a stream: %s', (task, body, stream) => {
  const read = readTask({ task, format: 'openai' }, { model: 'm', ...body }, undefined);
  expect(read).toMatchObject({ ok: true, request: { stream } });
});

test.each([
  ['transcribe', {}, 'file'],
  ['transcribe', { file: 'text' }, 'file'],
  ['transcribe', { file: { filename: 'a', bytes: 0 } }, 'file'],
  ['transcribe', { file: { filename: 'a', bytes: 1 }, response_format: 'odd' }, 'response_format'],
  ['transcribe', { file: { filename: 'a', bytes: 1 }, model: ['a', 'b'] }, 'model'],
  ['speak', { input: '' }, 'input'],
  ['speak', { input: 'a', speed: 9 }, 'speed'],
] as const)('%s refuses %j for its %s', (task, body, param) => {
  const read = readTask({ task, format: 'openai' }, { model: 'm', ...body }, undefined);
  expect(read.ok === false && read.fault.path[0]).toBe(param);
});

test('characters are those that people see as one code', () => {
  const units = findTaskClient({ task: 'speak', format: 'openai' }).readUnits?.({ input: 'Grüße 🌍' });
  expect(units).toEqual({ characters: { counted: 7, max: 8 } });
});
