import { createHash } from 'node:crypto';
import { hashKey, maskKey, newKey } from './key-secret.ts';

const many = Array.from({ length: 500 }, () => newKey());

test('a key is sk- and 48 letters and digits', () => {
  for (const key of many) expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
});

test('no two keys are the same, and every letter and digit occurs', () => {
  expect(new Set(many).size).toBe(many.length);
  expect(new Set(many.map((key) => key.slice(3)).join('')).size).toBe(62);
});

test('a key is stored as its SHA-256', () => {
  const key = newKey();
  expect(hashKey(key)).toBe(createHash('sha256').update(key).digest('hex'));
});

test('a mask shows four characters at either end of the secret and no more', () => {
  const secret = 'abcd' + 'x'.repeat(40) + 'wxyz';
  expect(maskKey(`sk-${secret}`)).toBe('sk-abcd…wxyz');
});
