import { createHash, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 48;

/** A new API key: `sk-` and 48 letters and digits, 285 bits. */
export const newKey = (): string =>
  `sk-${Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;

/** What is stored of a key: it has too many bits to be guessed, so that a plain hash is enough and fast. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Enough of a key to recognise it by. */
export const maskKey = (key: string): string => `${key.slice(0, 7)}…${key.slice(-4)}`;
