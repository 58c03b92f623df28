import { generateSync } from 'otplib';
import { isTotpCode, newTotpSecret, totpStep, totpUri } from './totp.ts';

const NOW = new Date('2026-11-22T12:00:15Z');
const STEP = Math.floor(NOW.getTime() / 30_000);
const codeOf = (secret: string, steps: number): string =>
  generateSync({ secret, epoch: (STEP + steps) * 30 });

/** "12345678901234567890" in base32, and the last six of the eight digits in RFC 6238, appendix B. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('at second %i the secret of RFC 6238 shows %s', (second, code) => {
  expect(totpStep(RFC_SECRET, code, 0, new Date(second * 1_000))).toBe(Math.floor(second / 30));
});

test.each([
  [-3, false],
  [-2, false],
  [-1, true],
  [0, true],
  [1, true],
  [2, false],
  [3, false],
])('the code of %i steps from now is good: %s', (steps, isGood) => {
  const secret = newTotpSecret();
  // Two codes of one secret are the same once in a million times.
  const found = totpStep(secret, codeOf(secret, steps), 0, NOW);
  expect(found).toBe(isGood ? STEP + steps : undefined);
});

test('a code of the step that was used last, or one before, is good no more', () => {
  const secret = newTotpSecret();
  const found = (steps: number, after: number) => totpStep(secret, codeOf(secret, steps), STEP + after, NOW);
  expect([found(0, -1), found(0, 0), found(-1, 0), found(1, 0), found(1, 1)]).toEqual([
    STEP,
    undefined,
    undefined,
    STEP + 1,
    undefined,
  ]);
});

test.each([
  ['123456', true],
  [' 123 456 ', true],
  ['12345', false],
  ['1234567', false],
  ['12345a', false],
  ['１２３４５６', false],
  ['', false],
])('"%s" can be a code: %s', (text, isCode) => {
  expect(isTotpCode(text)).toBe(isCode);
  if (!isCode) expect(totpStep(newTotpSecret(), text, 0, NOW)).toBeUndefined();
});

test('a secret has 160 bits, and what the app reads names us and the person', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(totpUri(secret, 'ada@billing.example'));
  expect([uri.protocol, uri.host, uri.searchParams.get('secret'), uri.searchParams.get('issuer')]).toEqual([
    'otpauth:',
    'totp',
    secret,
    'Tollgate',
  ]);
  expect(decodeURIComponent(uri.pathname)).toContain('ada@billing.example');
});
