import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { changed } from './search-params.ts';
import { formatSorting, parseSorting, type Sorting } from './sorting.ts';

/**
 * How a table is ordered: said in the address, so that it can be sent and gone back to, or by the table alone.
 *
 * @param isInAddress whether the table is the page's list.
 */
export function useSorting(
  isInAddress: boolean,
): readonly [Sorting | undefined, (sorting: Sorting | undefined) => void] {
  const search: { readonly sort?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [own, setOwn] = useState<Sorting>();
  if (!isInAddress) return [own, setOwn];
  return [
    parseSorting(search.sort),
    (sorting) =>
      void navigate({
        to: '.',
        search: (before) => changed(before, { sort: sorting && formatSorting(sorting), page: undefined }),
        replace: true,
        resetScroll: false,
      }),
  ];
}
