import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MarginGroup } from '@tollgate/vocabulary';
import { getMargins } from './generated/sdk/margins.gen.ts';
import { read } from './result.ts';

export type { MarginFigures, MarginRow } from './generated/types.gen.ts';

/** What was earned in a time, by one of its sides, the most first. */
export const marginsQuery = (by: MarginGroup, span: { readonly from?: string; readonly to?: string }) =>
  queryOptions({
    queryKey: ['margins', by, span],
    queryFn: ({ signal }) => read(getMargins({ query: { group_by: by, ...span }, signal })),
    placeholderData: keepPreviousData,
  });
