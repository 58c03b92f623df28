import fc from 'fast-check';
import { readPresentedKey } from './presented-key.ts';

const A = `sk-${'a'.repeat(48)}`;
const B = `sk-${'b'.repeat(48)}`;

test.each([
  ['a bearer token', { authorization: `Bearer ${A}` }, undefined],
  ['a bearer token in lower case', { authorization: `bearer ${A}` }, undefined],
  ['a bare Authorization', { authorization: A }, undefined],
  ['x-api-key', { 'x-api-key': A }, undefined],
  ['x-goog-api-key', { 'x-goog-api-key': A }, undefined],
  ['?key=', {}, A],
  ['the same key twice', { authorization: `Bearer ${A}`, 'x-goog-api-key': A }, undefined],
  [
    'an empty header beside a full one',
    { authorization: 'Bearer ', 'x-goog-api-key': '', 'x-api-key': A },
    '',
  ],
  ['white space around it', { 'x-api-key': ` ${A} ` }, undefined],
])('the key is taken from %s', (_case, headers, query) => {
  expect(readPresentedKey(headers, query)).toEqual({ kind: 'key', key: A });
});

test.each([
  ['nothing', {}, undefined],
  ['empty places only', { authorization: 'Bearer', 'x-api-key': '' }, ''],
])('%s is no key', (_case, headers, query) => {
  expect(readPresentedKey(headers, query)).toEqual({ kind: 'none' });
});

test('two different keys are a conflict, wherever they stand', () => {
  const place = fc.constantFrom('authorization', 'x-api-key', 'x-goog-api-key', 'query');
  fc.assert(
    fc.property(fc.uniqueArray(place, { minLength: 2, maxLength: 2 }), ([first, second]) => {
      const sent: Record<string, string> = { [first as string]: A, [second as string]: B };
      const { query, ...headers } = sent;
      expect(readPresentedKey(headers, query)).toEqual({ kind: 'conflict' });
    }),
  );
});
