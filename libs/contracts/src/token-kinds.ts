import { TOKEN_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';

export const tokenKindSchema = z.enum(TOKEN_KINDS);

const tokenCount = z.int().nonnegative();

/** Tokens of one request by kind; a kind that is absent counts zero. */
export const tokenCountsSchema = z.partialRecord(tokenKindSchema, tokenCount);
