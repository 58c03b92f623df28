import { objectAt, parseJson } from '../json.ts';

/** OpenAI's clients know by this code alone that the context is too short. */
export const saysContextTooLong = (body: string): boolean =>
  objectAt(parseJson(body), 'error')?.['code'] === 'context_length_exceeded';
