/**
 * What stands behind ORDER BY for a `sort` of the API, which begins with a minus where the greatest comes first. What has no
 * value comes last in either order.
 *
 * @param orders SQL of each column that may be named; nothing that a caller says gets into a query.
 * @param nullable those that may have no value. An index that runs the same way serves the others alone.
 */
export function toOrder<C extends string>(
  orders: Readonly<Record<C, string>>,
  sort: C | `-${C}`,
  nullable: readonly string[] = Object.keys(orders),
): string {
  const { of, isDescending } = readSort(orders, sort);
  if (!isDescending) return `${of} ASC`;
  return nullable.includes(sort.slice(1)) ? `${of} DESC NULLS LAST` : `${of} DESC`;
}

/** What a `sort` names, and whether the greatest comes first. */
export function readSort<C extends string, T>(
  orders: Readonly<Record<C, T>>,
  sort: C | `-${C}`,
): { readonly of: T; readonly isDescending: boolean } {
  const isDescending = sort.startsWith('-');
  return { of: orders[(isDescending ? sort.slice(1) : sort) as C], isDescending };
}
