import fc from 'fast-check';
import { addressMatcher, clientBlock, normaliseAddressRange } from './address-range.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  [' 192.0.2.7 ', '192.0.2.7'],
  ['192.0.2.7/24', '192.0.2.0/24'],
  ['192.0.2.7/32', '192.0.2.7'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['2001:db8::ffff/32', '2001:db8::/32'],
  ['2001:db8::1/128', '2001:db8::1'],
  ['::/0', '::/0'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7/120', '192.0.2.0/24'],
])('%s is kept as %s', (text, kept) => {
  expect(normaliseAddressRange(text)).toBe(kept);
  expect(normaliseAddressRange(kept)).toBe(kept);
});

test.each([
  '',
  'localhost',
  '192.0.2',
  '192.0.2.256',
  '0300.0.2.1',
  '0xc0.0.2.1',
  '3221225985',
  '192.0.2.0/33',
  '192.0.2.0/-1',
  '192.0.2.0/',
  '192.0.2.0/8/8',
  '192.0.2.0/255.255.255.0',
  'fe80::1%eth0',
  '2001:db8::/129',
  '::ffff:192.0.2.0/24',
  '2001:db8::1::2',
])('%p is neither an address nor a range', (text) => {
  expect(normaliseAddressRange(text)).toBeUndefined();
});

test.each([
  [['192.0.2.0/24'], '192.0.2.255', true],
  [['192.0.2.0/24'], '192.0.3.0', false],
  [['192.0.2.0/24'], '::ffff:192.0.2.9', true],
  [['192.0.2.7'], '192.0.2.7', true],
  [['192.0.2.7'], '192.0.2.8', false],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['::/0'], '192.0.2.1', false],
  [['2001:db8::/33'], '2001:db8:7fff::1', true],
  [['2001:db8::/33'], '2001:db8:8000::1', false],
  [['198.51.100.1', '2001:db8::1'], '2001:DB8::1', true],
  [['0.0.0.0/0'], 'unknown', false],
  [[], '192.0.2.1', false],
])('of the list %j, %s is a part: %p', (ranges, address, isPart) => {
  expect(addressMatcher(ranges)(address)).toBe(isPart);
});

test('every address of a range is in it, and no other', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const address = fc.tuple(byte, byte, byte, byte);
  const number = ([a, b, c, d]: readonly number[]) =>
    (((a ?? 0) * 256 + (b ?? 0)) * 256 + (c ?? 0)) * 256 + (d ?? 0);
  fc.assert(
    fc.property(address, address, fc.integer({ min: 0, max: 32 }), (start, other, bits) => {
      const size = 2 ** (32 - bits);
      const expected = Math.floor(number(start) / size) === Math.floor(number(other) / size);
      const range = normaliseAddressRange(`${start.join('.')}/${bits}`) ?? '';
      expect(addressMatcher([range])(other.join('.'))).toBe(expected);
    }),
  );
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['not an address', 'not an address'],
])('%s is the client %s', (address, client) => {
  expect(clientBlock(address)).toBe(client);
});
