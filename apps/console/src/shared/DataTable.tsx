import { lazy, type ReactNode, startTransition, Suspense, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './DataTable.module.css';
import { countPlaces, padPlaces } from './places.ts';
import { ariaSort, SortButton } from './SortButton.tsx';
import { formatSorting, type Sortable, sortedBy, type Sorting } from './sorting.ts';
import { isChosen, useShownColumns } from './use-shown-columns.ts';
import { useSorting } from './use-sorting.ts';

// No page waits for them.
const TableTools = lazy(() => import('./TableTools.tsx').then((tools) => ({ default: tools.TableTools })));
const MoreRows = lazy(() => import('./TableTools.tsx').then((tools) => ({ default: tools.MoreRows })));

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  /** Without it the amount is shown as it is. */
  readonly cell?: (row: T) => ReactNode;
  /** Of an amount: the text of it that the cell shows. The points of a column stand under one another. */
  readonly amount?: (row: T) => string | undefined;
  /**
   * What the column sorts by; without it its header is no button. Where rows come in pages the service orders them, and it
   * says what the column holds: text begins with its first letter, figures with the greatest.
   */
  readonly sortBy?: ((row: T) => Sortable) | 'text' | 'figure';
  /** It is shown to who chooses it. */
  readonly isShownLater?: boolean;
  readonly align?: 'end';
  /** On narrow screens a row is a card: its title, a corner for actions, or left out; else a line with its header. */
  readonly card?: 'title' | 'corner' | 'none';
}

interface DataTableProps<T> {
  /** Of a page's list: its order stands in the address, its columns are chosen, and all of it can be had as a file. */
  readonly id?: string;
  /** Every row that fits the filter, of a list that is not loaded whole. */
  readonly readAll?: () => Promise<readonly T[]>;
  /** What the table lists, for those who cannot see it. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowId: (row: T) => string;
  /** Rows that are no longer in force are told quietly. */
  readonly isFaded?: (row: T) => boolean;
  /** What the rows add up to; it stays below them. */
  readonly total?: T;
}

/** So many rows of a list that is loaded whole are drawn at first, and each time that more are asked for: all would be felt. */
const ROWS_AT_ONCE = 50;

/** A table that becomes a list of cards where the screen is narrow. */
export function DataTable<T>({
  id: list,
  label,
  columns: all,
  rows,
  rowId,
  isFaded,
  total,
  readAll,
}: DataTableProps<T>) {
  const [drawn, setDrawn] = useState(ROWS_AT_ONCE);
  const { shown: columns, isShown, toggle } = useShownColumns(list, all);
  const [sorting, setSorting] = useSorting(list !== undefined);
  const sorted = useSorted(rows, all, sorting);
  const places = usePlaces(columns, rows, total);
  const isWhole = list !== undefined && readAll === undefined;
  const isCut = isWhole && sorted.length > drawn;
  const atFirst = useFirstRows(sorting, drawn);
  const table = (
    <table className={classes.table} role="table" aria-label={label}>
      <Head columns={columns} example={rows[0]} sorting={sorting} onSort={setSorting} />
      <tbody role="rowgroup">
        {(isWhole ? sorted.slice(0, Math.min(drawn, atFirst)) : sorted).map((row) => (
          <Row
            key={rowId(row)}
            columns={columns}
            row={row}
            places={places}
            isFaded={isFaded?.(row) ?? false}
          />
        ))}
      </tbody>
      {total !== undefined && (
        <tfoot role="rowgroup">
          <Row columns={columns} row={total} places={places} isFaded={false} />
        </tfoot>
      )}
    </table>
  );
  if (list === undefined) return table;
  return (
    <>
      <Suspense fallback={<div className={classes.tools} />}>
        <TableTools
          id={list}
          columns={all.filter(isChosen).map((column) => ({
            name: column.header,
            isShown: isShown(column),
            toggle: () => toggle(column),
          }))}
          orders={all.flatMap(({ id, header, sortBy }) =>
            sortBy === undefined ? [] : [{ column: id, header, example: findExample(sortBy, rows[0]) }],
          )}
          sorting={sorting}
          onSort={setSorting}
          readAll={readAll ?? (() => Promise.resolve(sorted))}
        />
      </Suspense>
      {table}
      <Suspense>
        {isCut && <MoreRows count={sorted.length - drawn} onMore={() => setDrawn(drawn + ROWS_AT_ONCE)} />}
      </Suspense>
    </>
  );
}

/** So many rows are more than a screen has. */
const ROWS_AT_FIRST = 20;

/**
 * How many rows are drawn: after a click as many as are seen, and the others once these are there. What was drawn before and
 * stays is drawn at once.
 */
function useFirstRows(sorting: Sorting | undefined, drawn: number): number {
  const order = sorting === undefined ? '' : formatSorting(sorting);
  const [settled, settle] = useState({ order, drawn });
  useEffect(() => {
    if (settled.order !== order || settled.drawn !== drawn) startTransition(() => settle({ order, drawn }));
  }, [settled, order, drawn]);
  if (settled.order !== order) return ROWS_AT_FIRST;
  return settled.drawn === drawn ? Infinity : settled.drawn + ROWS_AT_FIRST;
}

/** The rows in the order that is chosen; where the service orders them, as they came. */
function useSorted<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  sorting: Sorting | undefined,
): readonly T[] {
  const { language } = useTranslation().i18n;
  const by = columns.find(({ id }) => id === sorting?.column)?.sortBy;
  const isDescending = sorting?.isDescending ?? false;
  return useMemo(
    () => (typeof by === 'function' ? sortedBy(rows, by, isDescending, language) : rows),
    [by, rows, isDescending, language],
  );
}

/** Of each column of amounts the most decimal places that one has. */
function usePlaces<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  total: T | undefined,
): readonly (number | undefined)[] {
  return useMemo(() => {
    const added = total === undefined ? rows : [...rows, total];
    return columns.map(
      ({ amount }) => amount && Math.max(...added.map((row) => countPlaces(amount(row) ?? ''))),
    );
  }, [columns, rows, total]);
}

interface HeadProps<T> {
  readonly columns: readonly Column<T>[];
  /** A row, to see what columns hold. */
  readonly example: T | undefined;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting | undefined) => void;
}

const Head = <T,>({ columns, example, sorting, onSort }: HeadProps<T>) => (
  <thead role="rowgroup">
    <tr role="row">
      {columns.map(({ id, header, align, sortBy }) => (
        <th
          key={id}
          role="columnheader"
          scope="col"
          data-align={align}
          aria-sort={sortBy && ariaSort(sorting, id)}
        >
          {sortBy ? (
            <SortButton
              header={header}
              column={id}
              example={findExample(sortBy, example)}
              sorting={sorting}
              onSort={onSort}
            />
          ) : (
            header
          )}
        </th>
      ))}
    </tr>
  </thead>
);

/** A value like those that a column sorts by. */
function findExample<T>(sortBy: NonNullable<Column<T>['sortBy']>, row: T | undefined): Sortable {
  if (sortBy === 'figure') return 0;
  return sortBy === 'text' || row === undefined ? '' : sortBy(row);
}

interface RowProps<T> extends Pick<DataTableProps<T>, 'columns'> {
  readonly row: T;
  readonly isFaded: boolean;
  /** Of each column of amounts the most that one has. */
  readonly places: readonly (number | undefined)[];
}

/** A row that is what it was is not drawn again, whatever happens around it: a page has a hundred of them. */
const Row = <T,>({ columns, row, places, isFaded }: RowProps<T>) =>
  useMemo(
    () => (
      <tr role="row" data-faded={isFaded}>
        {columns.map(({ id, header, align, card, cell, amount }, index) => {
          const shown = amount?.(row);
          return (
            <td
              key={id}
              role="cell"
              data-align={align}
              data-card={card ?? 'line'}
              data-label={card === undefined ? header : undefined}
            >
              <div
                className={amount ? `${classes.value} tg-number tg-places` : classes.value}
                data-places={amount && padPlaces(shown ?? '', places[index] ?? 0)}
              >
                {cell ? cell(row) : shown}
              </div>
            </td>
          );
        })}
      </tr>
    ),
    [columns, row, places, isFaded],
  );
