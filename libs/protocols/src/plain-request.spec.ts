import { CLIENT_PROTOCOLS, type ClientProtocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { CODECS } from './registry.ts';

const ORDINARY: Readonly<Record<Exclude<ClientProtocol, 'gemini'>, object>> = {
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
};

test.each(Object.entries(ORDINARY))('an ordinary request of %s is plain', (protocol, body) => {
  const { isPlainRequest } = CODECS[protocol as ClientProtocol];
  expect(isPlainRequest?.({ ...body }, { pathModel: undefined, action: 'generate' })).toBe(true);
});

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, 1, 1.5, -1, 2 ** 53, '', ' ', 'm', 'x'.repeat(257), [], {}),
  fc.constantFrom<unknown>([{ role: 'user' }], [{ role: 'assistant' }], [{ role: 'nobody', content: 'a' }]),
  fc.constantFrom<unknown>([{ role: 'user', content: null }], [null], { include_usage: 1 }, [[]]),
  fc.jsonValue(),
);
const FIELDS = [
  ...['model', 'messages', 'input', 'stream', 'stream_options'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
];
const changed = fc.dictionary(fc.constantFrom(...FIELDS), fc.option(odd, { nil: undefined }), {
  maxKeys: 3,
});

test.each(CLIENT_PROTOCOLS)('what is plain of %s is taken by its schema', (protocol) => {
  const { isPlainRequest, requestSchema } = CODECS[protocol];
  if (!isPlainRequest) return;
  let [plain, others] = [0, 0];
  fc.assert(
    fc.property(changed, fc.constantFrom('generate', 'count'), (changes, action) => {
      const context = { pathModel: undefined, action } as const;
      const whole = { ...ORDINARY[protocol as keyof typeof ORDINARY], ...changes };
      const body = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
      if (!isPlainRequest(body, context)) return void (others += 1);
      plain += 1;
      expect(requestSchema(context).safeParse(body).success).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(plain, others)).toBeGreaterThan(50);
});
