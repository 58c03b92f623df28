import { CLIENT_PROTOCOLS, type ClientProtocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { JsonObject } from './json.ts';
import { readOutput } from './output-fields.ts';
import { CODECS } from './registry.ts';

const ORDINARY: Readonly<Record<ClientProtocol, object>> = {
  'openai-chat': {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 100,
    temperature: 0.5,
  },
  'openai-responses': { model: 'm', input: 'hi', max_output_tokens: 100 },
  'anthropic-messages': { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] },
  gemini: {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
      { role: 'model', parts: [] },
      { parts: [{ text: '' }] },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: { maxOutputTokens: 100, temperature: 0.5 },
  },
};
const PATH_MODEL = ' m ';

test.each(Object.entries(ORDINARY))('an ordinary request of %s is plain', (protocol, body) => {
  const { isPlainRequest } = CODECS[protocol as ClientProtocol];
  for (const action of ['generate', 'count'] as const)
    expect(isPlainRequest({ ...body }, { pathModel: PATH_MODEL, action })).toBe(true);
});

test.each<[string, object]>([
  ['no contents', { contents: undefined }],
  ['contents that are empty', { contents: [] }],
  ['contents that are no list', { contents: { parts: [] } }],
  ['a content that is null', { contents: [null] }],
  ['a role that nobody knows', { contents: [{ role: 'assistant', parts: [] }] }],
  ['a role of null', { contents: [{ role: null, parts: [] }] }],
  ['no parts', { contents: [{ role: 'user' }] }],
  ['parts that are no list', { contents: [{ role: 'user', parts: 'hi' }] }],
  ['a part that is a text', { contents: [{ role: 'user', parts: ['hi'] }] }],
  ['a text that is a number', { contents: [{ role: 'user', parts: [{ text: 1 }] }] }],
  ['a second content without parts', { contents: [{ parts: [] }, { role: 'user' }] }],
  ['a configuration that is a list', { generationConfig: [] }],
  ['a limit of 0', { generationConfig: { maxOutputTokens: 0 } }],
  ['a limit of 1.5', { generationConfig: { maxOutputTokens: 1.5 } }],
  ['a limit that is a text', { generationConfig: { maxOutputTokens: '5' } }],
])('the schema of Gemini is asked about %s', (_, change) => {
  const body = { ...ORDINARY.gemini, ...change };
  expect(CODECS.gemini.isPlainRequest(body, { pathModel: PATH_MODEL, action: 'generate' })).toBe(false);
});

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, 1, 1.5, -1, 2 ** 53, '', ' ', 'm', 'x'.repeat(257), [], {}),
  fc.constantFrom<unknown>([{ role: 'user' }], [{ role: 'assistant' }], [{ role: 'nobody', content: 'a' }]),
  fc.constantFrom<unknown>([{ role: 'user', content: null }], [null], { include_usage: 1 }, [[]]),
  fc.constantFrom<unknown>(
    [{ parts: [] }],
    [{ role: 'user', parts: [{ text: null }] }],
    [{ parts: [{ text: 1 }] }],
  ),
  fc.constantFrom<unknown>(
    [{ role: 'nobody', parts: [] }],
    [{ role: 'model', parts: {} }],
    [{ parts: ['a'] }],
  ),
  fc.constantFrom<unknown>({ maxOutputTokens: 5 }, { maxOutputTokens: 0 }, { maxOutputTokens: 1.5 }),
  fc.jsonValue(),
);
const FIELDS = [
  ...['model', 'messages', 'input', 'stream', 'stream_options'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ...['contents', 'generationConfig'],
];
const changed = fc.dictionary(fc.constantFrom(...FIELDS), fc.option(odd, { nil: undefined }), {
  maxKeys: 3,
});

test.each(CLIENT_PROTOCOLS)(
  'what is plain of %s is taken by its schema, which reads the same',
  (protocol) => {
    const codec = CODECS[protocol];
    let [plain, others] = [0, 0];
    fc.assert(
      fc.property(changed, fc.constantFrom('generate', 'count'), (changes, action) => {
        const context = { pathModel: PATH_MODEL, action } as const;
        const whole = { ...ORDINARY[protocol], ...changes };
        const body = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
        if (!codec.isPlainRequest(body, context)) return void (others += 1);
        plain += 1;
        const checked = codec.requestSchema(context).parse(body);
        const read = (from: JsonObject) => {
          const request = codec.readRequest(from, context);
          return { ...request, model: request.model.trim(), output: readOutput(codec.outputFields, from) };
        };
        expect(read(body)).toEqual(read(checked));
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(plain, others)).toBeGreaterThan(50);
  },
);
