import type { ExportSort } from '../../api/exports.ts';
import { readTexts } from '../../shared/search-params.ts';

export const EXPORTS_PER_PAGE = 20;
const MAX_PAGES = 100_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What exports may be ordered by; with a minus the greatest first. */
const COLUMNS = ['kind', 'status', 'rows', 'size', 'asked'] as const;
const SORTS = COLUMNS.flatMap((column): ExportSort[] => [column, `-${column}`]);

export interface ExportsSearch {
  readonly sort?: ExportSort;
  /** From 1 on; absent on the first. */
  readonly page?: number;
  /** The schedule whose exports are shown. */
  readonly schedule?: string;
  /** The dialog that is open. */
  readonly create?: 'export' | 'schedule';
}

export function readExportsSearch(search: Readonly<Record<string, unknown>>): ExportsSearch {
  const { schedule, create } = readTexts(search, ['schedule', 'create']);
  const { page } = search;
  const sort = SORTS.find((each) => each === search['sort']);
  const isPage = typeof page === 'number' && Number.isInteger(page) && page > 1 && page <= MAX_PAGES;
  return {
    ...(sort === undefined ? {} : { sort }),
    ...(isPage ? { page } : {}),
    ...(schedule !== undefined && UUID.test(schedule) ? { schedule } : {}),
    ...(create === 'export' || create === 'schedule' ? { create } : {}),
  };
}

export const toPage = ({ page = 1, ...filter }: ExportsSearch) => ({
  ...toFilter(filter),
  limit: EXPORTS_PER_PAGE,
  offset: (page - 1) * EXPORTS_PER_PAGE,
});

export const toFilter = ({ schedule, sort }: Pick<ExportsSearch, 'schedule' | 'sort'>) => ({
  ...(schedule === undefined ? {} : { schedule_id: schedule }),
  ...(sort === undefined ? {} : { sort }),
});
