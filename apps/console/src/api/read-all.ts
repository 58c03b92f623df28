/** So many rows a file holds at most: the page that asks for them keeps them all. */
const MAX_ROWS = 100_000;

/** All rows of a list that comes in pages, from the first on. */
export async function readAll<T, C>(
  readPage: (cursor: C | null) => Promise<{ readonly items: readonly T[]; readonly next: C | null }>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  let cursor: C | null = null;
  do {
    const page: { readonly items: readonly T[]; readonly next: C | null } = await readPage(cursor);
    rows.push(...page.items);
    cursor = page.next;
  } while (cursor !== null && rows.length < MAX_ROWS);
  return rows;
}
