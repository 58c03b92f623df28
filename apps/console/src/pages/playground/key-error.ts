import { ApiError } from '../../api/result.ts';
import type { Refusal } from './progress.ts';

/** Why no key could be had, in the form of a refused request. */
export const toRefusal = (error: unknown): Refusal => ({
  status: error instanceof ApiError ? error.status : 0,
  message: error instanceof ApiError ? error.message : '',
  retryAfterS: null,
});
