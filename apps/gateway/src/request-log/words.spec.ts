import fc from 'fast-check';
import { toLogWords } from './words.ts';

test.each([
  ['The model "sk-proj-abcdefgh12345678" does not exist', 'The model "***" does not exist'],
  ['Incorrect API key provided: sk-ant-api03-Zz_9-abcdefgh', 'Incorrect API key provided: ***'],
  ['key AIzaSyA1234567890abcdefghijklmno is not valid', 'key *** is not valid'],
  ['AKIAIOSFODNN7EXAMPLE may not call it', '*** may not call it'],
  ['Authorization: Bearer abc.def-ghi_jkl', 'Authorization: *** ***'],
  ['bearer eyJhbGciOiJI.eyJzdWIiOiIx.sig is not well formed', 'bearer *** is not well formed'],
  ['see https://host/v1?api_key=hunter2hunter2&x=1', 'see https://host/v1?api_key=***&x=1'],
  ['{"password": "correct horse"}', '{"password": "*** horse"}'],
  [`signed with ${'aB3'.repeat(20)}`, 'signed with ***'],
  ['max_tokens: must be 4096 or less', 'max_tokens: must be 4096 or less'],
  [
    'This model’s maximum context length is 128000 tokens.',
    'This model’s maximum context length is 128000 tokens.',
  ],
  [
    'The limit of 5 requests per minute for this API key is reached.',
    'The limit of 5 requests per minute for this API key is reached.',
  ],
  ['two\nlines\tand\0more', 'two lines and more'],
])('%s', (words, kept) => {
  expect(toLogWords(words, 500)).toBe(kept);
});

test('a secret is found wherever it stands, and is not there in part where words are cut', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
  const secret = fc
    .array(fc.constantFrom(...letters), { minLength: 48, maxLength: 48 })
    .map((some) => `sk-${some.join('')}`);
  const around = fc.array(fc.constantFrom('a ', 'word. ', '"', ': ', '\n', '(')).map((some) => some.join(''));
  fc.assert(
    fc.property(around, secret, around, fc.integer({ min: 10, max: 80 }), (before, key, after, max) => {
      const kept = toLogWords(`${before} ${key} ${after}`, max);
      expect(kept.length).toBeLessThanOrEqual(max);
      expect(kept).not.toContain(key.slice(0, 12));
    }),
  );
});

test('words are those that PostgreSQL can keep, however they are cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 2, max: 30 }),
      (words, max) => {
        const kept = toLogWords(words, max);
        expect(kept.length).toBeLessThanOrEqual(max);
        expect(kept.isWellFormed()).toBe(true);
        expect(kept).not.toContain('\0');
      },
    ),
  );
});
