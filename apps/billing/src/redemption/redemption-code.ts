import { createHash, randomBytes } from 'node:crypto';

/** Crockford's Base32: no I, L, O and U, which are misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;

/** A new code of 80 random bits, as people read it: XXXX-XXXX-XXXX-XXXX. */
export function newRedemptionCode(): string {
  const characters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join(
    '',
  );
  return characters.replace(/(.{4})(?=.)/g, '$1-');
}

/** What of a code counts: its letters and digits, in whatever case, grouping and misreading they were typed. */
export function normaliseCode(typed: string): string | undefined {
  const characters = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(characters) ? characters : undefined;
}

/** What is stored in place of a code. Its 80 bits are out of reach of guessing, so that a plain hash is enough. */
export const hashCode = (normalised: string): string => createHash('sha256').update(normalised).digest('hex');
