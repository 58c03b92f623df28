import { createHash, randomBytes } from 'node:crypto';

/** A new token of 256 random bits that can stand in a path. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** What is stored of a token: it has too many bits to be guessed, so that a plain hash is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
