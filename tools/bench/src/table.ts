/**
 * A table in Markdown; {@link writePart} aligns it.
 *
 * @param texts the columns that are no numbers.
 */
export const table = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts: readonly number[] = [0],
): string =>
  [
    `| ${head.join(' | ')} |`,
    `| ${head.map((_, index) => (texts.includes(index) ? '---' : '---:')).join(' | ')} |`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
