import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { openAnswer, parseEntry, renderAnswered, renderLease } from './entry.ts';
import { type Fingerprinted, computeFingerprint, toRedisKey } from './fingerprint.ts';
import { readIdempotencyKey } from './presented.ts';

const key = randomBytes(32);
const REQUEST: Fingerprinted = {
  method: 'POST',
  path: '/v1/chat/completions',
  query: '',
  body: Buffer.from('{"model":"m"}'),
};
const fingerprint = computeFingerprint(REQUEST, key);

test.each([
  ['a', true],
  ['6d5f8f2e-5f0a-4c6e-9d0c-0a2b4c6d8e0f', true],
  ['order 17, second try', true],
  ['~'.repeat(255), true],
  ['', false],
  [' leading', false],
  ['x'.repeat(256), false],
  ['Grüße', false],
  ['a\tb', false],
])('the key %p is taken: %p', (value, taken) => {
  const presented = readIdempotencyKey({ 'idempotency-key': value });
  expect(presented.ok).toBe(taken);
  if (presented.ok) expect(presented.value).toBe(value);
  else expect(presented.error).toMatchObject({ kind: 'invalid_request', param: 'idempotency-key' });
});

test('a request without a key is none that could be refused', () => {
  expect(readIdempotencyKey({})).toEqual({ ok: true, value: undefined });
});

test.each<[string, Partial<Fingerprinted>]>([
  ['another method', { method: 'PUT' }],
  ['another path', { path: '/v1/responses' }],
  ['another query', { query: 'alt=sse' }],
  ['another body', { body: Buffer.from('{"model":"n"}') }],
  ['a space more', { body: Buffer.from('{"model": "m"}') }],
  [
    'what moved from the path to the body',
    { path: '/v1/chat', body: Buffer.from('/completions{"model":"m"}') },
  ],
])('%s is another request', (_what, change) => {
  expect(computeFingerprint({ ...REQUEST, ...change }, key)).not.toBe(fingerprint);
});

test('the same request has the same fingerprint, and another one for whoever has another key', () => {
  expect(computeFingerprint({ ...REQUEST, body: Buffer.from(REQUEST.body) }, key)).toBe(fingerprint);
  expect(computeFingerprint(REQUEST, randomBytes(32))).not.toBe(fingerprint);
});

test('every API key has Redis keys of its own, each in one hash slot, in which no key can be read', () => {
  const redisKey = toRedisKey('key_1', 'order 17', key);
  expect(redisKey).toMatch(/^tollgate:idempotency:\{key_1:[0-9a-f]{40}\}$/);
  expect(toRedisKey('key_1', 'order 17', key)).toBe(redisKey);
  const others = [toRedisKey('key_2', 'order 17', key), toRedisKey('key_1', 'order 18', key)];
  expect(new Set([redisKey, ...others]).size).toBe(3);
});

test('an answer comes back as it was, and cannot be read or moved', () => {
  const headers = fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), fc.string());
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), headers, (bytes, named) => {
      const answer = { status: 200, headers: { ...named }, body: Buffer.from(bytes) };
      const rendered = renderAnswered(fingerprint, answer, key, 'here');
      const entry = parseEntry(rendered);
      if (entry?.kind !== 'answered') throw new Error('it is no answer');
      expect(entry.fingerprint).toBe(fingerprint);
      expect(openAnswer(entry.sealed, key, 'here')).toEqual(answer);
      expect(() => openAnswer(entry.sealed, key, 'there')).toThrow();
    }),
  );
});

test('what was said stands nowhere in what is kept', () => {
  const body = Buffer.from('a secret that a customer told');
  const rendered = renderAnswered(fingerprint, { status: 200, headers: {}, body }, key, 'here');
  expect(rendered.includes('secret')).toBe(false);
});

test('a lease is told from an answer, and neither from what is none of ours', () => {
  expect(parseEntry(renderLease(fingerprint, 'token'))).toEqual({ kind: 'leased', fingerprint });
  for (const foreign of ['', 'c', 'hello', `x${fingerprint}`, `c${fingerprint.toUpperCase()}`])
    expect(parseEntry(Buffer.from(foreign))).toBeUndefined();
});
