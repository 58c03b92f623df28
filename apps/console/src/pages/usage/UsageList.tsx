import { Center, Loader } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { RequestEntry } from '../../api/requests.ts';
import { countPlaces } from '../../shared/places.ts';
import { ariaSort, SortButton } from '../../shared/SortButton.tsx';
import type { Sorting } from '../../shared/sorting.ts';
import { Failed } from '../../shared/States.tsx';
import { TableTools } from '../../shared/TableTools.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { isChosen, useShownColumns } from '../../shared/use-shown-columns.ts';
import { useSorting } from '../../shared/use-sorting.ts';
import { type ListColumn, listColumns, toTemplate } from './list-columns.ts';
import classes from './Usage.module.css';
import { UsageRow } from './UsageRow.tsx';

interface UsageListProps {
  readonly entries: readonly RequestEntry[];
  /** Of whom each is, where it is the log of all. */
  readonly showsAccount: boolean;
  /** Who served each, and what that cost, may be shown. */
  readonly showsServing: boolean;
  /** All that fit. */
  readonly readAll: () => Promise<readonly RequestEntry[]>;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Why the next page is not there. */
  readonly moreError: Error | null;
  readonly onMore: () => void;
  readonly onChoose: (entry: RequestEntry) => void;
}

/** Rows that are this close to the end call for the next page. */
const AHEAD = 15;
const HEIGHT = { wide: 45, narrow: 72 };

/** The log as a table that holds only the rows in view. */
export default function UsageList({
  entries,
  showsAccount,
  showsServing,
  readAll,
  hasMore,
  isLoadingMore,
  moreError,
  onMore,
  onChoose,
}: UsageListProps) {
  const { t } = useTranslation('usage');
  const place = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery('(max-width: 47.99em)') ?? false;
  const height = isNarrow ? HEIGHT.narrow : HEIGHT.wide;
  const virtual = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: place.current?.offsetTop ?? 0,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const places = usePlaces(entries);
  const [sorting, onSort] = useSorting(true);
  const offered = listColumns(showsServing);
  const chosen = useShownColumns('requests', offered);
  const { shown } = chosen;
  const rowProps = { columns: shown, places, showsAccount };
  const rows = virtual.getVirtualItems();
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= entries.length - AHEAD;
  useEffect(() => {
    // What was refused is asked for again by whoever looks, and not by itself, over and over.
    if (isNearEnd && hasMore && !isLoadingMore && !moreError) onMore();
  }, [isNearEnd, hasMore, isLoadingMore, moreError, onMore]);

  return (
    <>
      <Tools offered={offered} chosen={chosen} sorting={sorting} onSort={onSort} readAll={readAll} />
      <div
        role="table"
        aria-label={t('title')}
        aria-rowcount={hasMore ? -1 : entries.length + 1}
        style={toStyle(shown)}
      >
        <Head columns={shown} sorting={sorting} onSort={onSort} />
        <div role="rowgroup" ref={place} className={classes.body} style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const entry = entries[index];
            return entry ? (
              <div
                key={entry.request_id}
                role="row"
                aria-rowindex={index + 2}
                className={classes.row}
                style={{ height, transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
              >
                <UsageRow {...rowProps} entry={entry} onChoose={() => onChoose(entry)} />
              </div>
            ) : null;
          })}
        </div>
        {isLoadingMore && <LoadingMore />}
      </div>
      {moreError && !isLoadingMore && <Failed error={moreError} onRetry={onMore} />}
    </>
  );
}

const LoadingMore = () => (
  <Center p="md">
    <Loader size="sm" />
  </Center>
);

/** The most places that a charge of the list has. */
function usePlaces(entries: readonly RequestEntry[]): number {
  const format = useFormat();
  return useMemo(() => {
    const shown = entries.map(({ charge }) => (charge ? format.exactMoney(charge.cost_usd) : ''));
    return Math.max(0, ...shown.map(countPlaces));
  }, [entries, format]);
}

interface ToolsProps extends Pick<UsageListProps, 'readAll'>, Omit<HeadProps, 'columns'> {
  readonly offered: readonly ListColumn[];
  readonly chosen: ReturnType<typeof useShownColumns<ListColumn>>;
}

function Tools({ offered, chosen, ...rest }: ToolsProps) {
  const { t } = useTranslation('usage');
  return (
    <TableTools
      {...rest}
      id="requests"
      columns={offered.filter(isChosen).map((column) => ({
        name: t(`columns.${column.id}`),
        isShown: chosen.isShown(column),
        toggle: () => chosen.toggle(column),
      }))}
      orders={offered.flatMap(({ id, sort }) =>
        sort === undefined ? [] : [{ column: sort, header: t(`columns.${id}`), example: 0 }],
      )}
    />
  );
}

interface HeadProps {
  readonly columns: readonly ListColumn[];
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting | undefined) => void;
}

function Head({ columns, sorting, onSort }: HeadProps) {
  const { t } = useTranslation('usage');
  return (
    <div role="rowgroup">
      <div role="row" className={classes.head} aria-rowindex={1}>
        {columns.map(({ id, sort, isWideOnly }) => (
          <span
            key={id}
            role="columnheader"
            data-column={id}
            data-wide={isWideOnly}
            aria-sort={ariaSort(sorting, sort)}
          >
            {sort === undefined ? (
              t(`columns.${id}`)
            ) : (
              <SortButton
                header={t(`columns.${id}`)}
                column={sort}
                example={0}
                sorting={sorting}
                onSort={onSort}
              />
            )}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The columns where there is room for all, and where there is for few. */
const toStyle = (columns: readonly ListColumn[]): CSSProperties & Record<`--${string}`, string> => ({
  '--columns': toTemplate(columns),
  '--few-columns': toTemplate(columns.filter(({ isWideOnly }) => !isWideOnly)),
});
