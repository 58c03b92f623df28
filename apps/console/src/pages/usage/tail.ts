import type { RequestPage } from '../../api/requests.ts';

/**
 * The pages of a log with what is new in front of them; null where more came than was fetched, so that some between
 * would be missing.
 */
export function withNewest(
  pages: readonly RequestPage[],
  newest: RequestPage,
): readonly RequestPage[] | null {
  const [first, ...others] = pages;
  if (!first) return [newest];
  const known = new Set(pages.flatMap(({ items }) => items.map(({ request_id }) => request_id)));
  const fresh = newest.items.filter(({ request_id }) => !known.has(request_id));
  if (fresh.length === 0) return pages;
  if (fresh.length === newest.items.length && newest.next !== null) return null;
  const items = [...fresh, ...first.items].sort(newestFirst);
  return [{ ...first, items }, ...others];
}

/** Requests come in the order in which they end, which is not quite that of their times. */
const newestFirst = (a: RequestPage['items'][number], b: RequestPage['items'][number]): number =>
  Date.parse(b.occurred_at) - Date.parse(a.occurred_at) || (a.request_id < b.request_id ? 1 : -1);
