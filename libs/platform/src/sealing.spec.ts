import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { reseal, seal, sealBytes, sealKey, sealKeys, unseal, unsealBytes } from './sealing.ts';

const key = randomBytes(32);

test('what is sealed comes back, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (secret) => {
      expect(unseal(seal(secret, key), key)).toBe(secret);
    }),
  );
});

test('the sealed text does not show the secret, and is never the same twice', () => {
  const secret = 'sk-live-credential';
  const sealed = [seal(secret, key), seal(secret, key)];
  expect(new Set(sealed).size).toBe(2);
  for (const each of sealed) {
    expect(each).toMatch(/^sealed\.v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
    expect(each).not.toContain(secret);
    expect(Buffer.from(each.split('.')[4] ?? '', 'base64url').includes(secret)).toBe(false);
  }
});

test('another key is told from the name of the key, which is not the key', () => {
  const sealed = seal('secret', key);
  expect(() => unseal(sealed, randomBytes(32))).toThrow(`sealed with another key (${sealed.split('.')[2]})`);
  expect(sealed).not.toContain(key.toString('base64url').slice(0, 8));
});

test('another key does not open it even under the name of the first', () => {
  const other = randomBytes(32);
  const parts = seal('secret', key).split('.');
  parts[2] = seal('', other).split('.')[2] ?? '';
  expect(() => unseal(parts.join('.'), other)).toThrow();
});

test('a change of any byte of the nonce, the text or the tag is found', () => {
  const parts = seal('a secret of some length', key).split('.');
  for (const index of [3, 4]) {
    const bytes = Buffer.from(parts[index] ?? '', 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
      const tampered = parts.with(index, changed.toString('base64url')).join('.');
      expect(() => unseal(tampered, key)).toThrow();
    }
  }
});

test('a change of any character of the prefix is found', () => {
  const sealed = seal('secret', key);
  const head = sealed.split('.').slice(0, 3).join('.').length;
  for (let at = 0; at < head; at++) {
    const tampered = `${sealed.slice(0, at)}${sealed[at] === 'x' ? 'y' : 'x'}${sealed.slice(at + 1)}`;
    expect(() => unseal(tampered, key)).toThrow();
  }
});

test('a text that was cut short is found', () => {
  const parts = seal('a secret of some length', key).split('.');
  const bytes = Buffer.from(parts[4] ?? '', 'base64url');
  for (let length = 0; length < bytes.length; length++) {
    const cut = parts.with(4, bytes.subarray(0, length).toString('base64url')).join('.');
    expect(() => unseal(cut, key)).toThrow();
  }
});

test.each(['', 'plain text', 'sealed.v1', 'sealed.v2.00000000.AAAA.AAAA', 'sealed.v1...', 'sk-a.b.c.d.e'])(
  '%p is no sealed text',
  (text) => {
    expect(() => unseal(text, key)).toThrow('not a sealed text');
  },
);

test('a key is 32 bytes in base64', () => {
  expect(sealKey.parse(key.toString('base64'))).toEqual(key);
  for (const length of [0, 16, 31, 33, 64]) {
    expect(sealKey.safeParse(randomBytes(length).toString('base64')).success).toBe(false);
  }
});

test('sealed bytes come back in the place that they were sealed for', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.string(), (bytes, place) => {
      const sealed = sealBytes(Buffer.from(bytes), key, place);
      expect(unsealBytes(sealed, key, place)).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each<[string, (sealed: Buffer) => unknown]>([
  ['in another place', (sealed) => unsealBytes(sealed, key, 'there')],
  ['with another key', (sealed) => unsealBytes(sealed, randomBytes(32), 'here')],
  ['cut short', (sealed) => unsealBytes(sealed.subarray(0, -1), key, 'here')],
  ['cut to nothing', () => unsealBytes(Buffer.alloc(0), key, 'here')],
  ['with a byte changed', (sealed) => unsealBytes(sealed.fill((sealed[20] ?? 0) ^ 1, 20, 21), key, 'here')],
])('sealed bytes do not open %s', (_how, open) => {
  expect(() => open(sealBytes(Buffer.from('an answer'), key, 'here'))).toThrow();
});

test('a ring opens what any of its keys sealed, and reseals with the first', () => {
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const sealed = seal('secret', old);
  expect(unseal(sealed, [next, old])).toBe('secret');
  expect(() => unseal(sealed, [next])).toThrow('sealed with another key');
  const again = reseal(sealed, [next, old]);
  expect(unseal(again, next)).toBe('secret');
  expect(reseal(again, [next, old])).toBe(again);
  expect(() => reseal(sealed, [next])).toThrow('sealed with another key');
});

test('other keys are a list, which may be empty', () => {
  const keys = [randomBytes(32), randomBytes(32)];
  expect(sealKeys.parse(undefined)).toEqual([]);
  expect(sealKeys.parse(keys.map((each) => each.toString('base64')).join(' , '))).toEqual(keys);
  expect(sealKeys.safeParse(`${keys[0]?.toString('base64')},short`).success).toBe(false);
});
