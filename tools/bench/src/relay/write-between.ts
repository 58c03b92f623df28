import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'oxfmt';

/**
 * Puts a text into a document, between two marks, in place of what stands there.
 *
 * @throws where the document has no place for it.
 */
export async function writeBetween(
  path: string,
  marks: readonly [string, string],
  text: string,
): Promise<void> {
  const before = readFileSync(path, 'utf8');
  const start = before.indexOf(marks[0]);
  const end = before.indexOf(marks[1]);
  if (start < 0 || end < start) throw new Error(`${path} has no ${marks.join(' and no ')}`);
  const after = `${before.slice(0, start)}${marks[0]}\n\n${text}\n\n${before.slice(end)}`;
  writeFileSync(path, (await format(path, after)).code);
}
