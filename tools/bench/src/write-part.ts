import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';

const DOCS = join(import.meta.dirname, '../../../docs');

/** What a page of the documentation has between the marks of a part: `<!-- relay -->` and `<!-- end of relay -->`. */
function findPart(page: string, part: string): { before: string; text: string; after: string } {
  const whole = readFileSync(join(DOCS, page), 'utf8');
  const marks = [`<!-- ${part} -->`, `<!-- end of ${part} -->`] as const;
  const [start, end] = [whole.indexOf(marks[0]), whole.indexOf(marks[1])];
  if (start < 0 || end < start) throw new Error(`${page} has no ${marks.join(' and no ')}`);
  const from = start + marks[0].length;
  return { before: whole.slice(0, from), text: whole.slice(from, end).trim(), after: whole.slice(end) };
}

/** @throws where the page has no such part. */
export const readPart = (page: string, part: string): string => findPart(page, part).text;

/**
 * Puts a text into a page of the documentation in place of what stands in a part of it.
 *
 * @throws where the page has no such part.
 */
export async function writePart(page: string, part: string, text: string): Promise<void> {
  const { before, after } = findPart(page, part);
  writeFileSync(join(DOCS, page), (await format(page, `${before}\n\n${text}\n\n${after}`)).code);
}
