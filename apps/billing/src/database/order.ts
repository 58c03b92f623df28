/**
 * What stands behind ORDER BY for a `sort` of the API, which begins with a minus where the greatest comes first. What has no
 * value comes last in either order.
 *
 * @param orders SQL of each column that may be named; nothing that a caller says gets into a query.
 */
export function toOrder<C extends string>(orders: Readonly<Record<C, string>>, sort: C | `-${C}`): string {
  const isDescending = sort.startsWith('-');
  const column = (isDescending ? sort.slice(1) : sort) as C;
  return `${orders[column]} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`;
}
