import { createHash, randomBytes } from 'node:crypto';

const CODES = 10;
/** 80 bits: too many to be guessed, so that a plain hash is enough. */
const BYTES = 10;
/** Crockford's: without letters that look like numbers. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Ten codes, such as `4f7m-0rkz-92ht-xq3b`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, newCode);

function newCode(): string {
  const bits = [...randomBytes(BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join('');
  return (letters.match(/.{4}/g) ?? []).join('-');
}

/** What is stored of a code of a person, however they write it down. */
export const hashRecoveryCode = (userId: string, code: string): string =>
  createHash('sha256')
    .update(
      `${userId} ${code
        .toLowerCase()
        .replaceAll(/[^0-9a-z]/g, '')
        .replaceAll('o', '0')
        .replaceAll(/[il]/g, '1')}`,
    )
    .digest('hex');
