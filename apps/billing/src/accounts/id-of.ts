import { httpError } from '@tollgate/platform';
import { z } from 'zod';

/**
 * An id out of a path.
 *
 * @throws HttpException 404 for what is none: nothing has it.
 */
export function idOf(text: string, what: string): string {
  if (!z.uuid().safeParse(text).success) throw httpError(404, `There is no such ${what}.`, 'id');
  return text.toLowerCase();
}
