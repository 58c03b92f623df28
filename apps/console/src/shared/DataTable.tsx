import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './DataTable.module.css';
import { countPlaces, padPlaces } from './places.ts';
import { nextSorting, type Sortable, sortedBy, type Sorting } from './sorting.ts';

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Of an amount: the text of it that the cell shows. The points of a column stand under one another. */
  readonly amount?: (row: T) => string | undefined;
  /** What the column sorts by; without it its header is no button. */
  readonly sortBy?: (row: T) => Sortable;
  readonly align?: 'end';
  /** On narrow screens a row is a card: its title, a corner for actions, or left out; else a line with its header. */
  readonly card?: 'title' | 'corner' | 'none';
}

interface DataTableProps<T> {
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

/** A table that becomes a list of cards where the screen is narrow. */
export function DataTable<T>({ label, columns, rows, rowId, isFaded, total }: DataTableProps<T>) {
  const { i18n } = useTranslation();
  const [sorting, setSorting] = useState<Sorting>();
  const sorted = useMemo(() => {
    const by = columns.find(({ id }) => id === sorting?.column)?.sortBy;
    return sorting && by ? sortedBy(rows, by, sorting.isDescending, i18n.language) : rows;
  }, [columns, rows, sorting, i18n.language]);

  const places = useMemo(() => {
    const all = total === undefined ? rows : [...rows, total];
    return columns.map(
      ({ amount }) => amount && Math.max(...all.map((row) => countPlaces(amount(row) ?? ''))),
    );
  }, [columns, rows, total]);

  return (
    <table className={classes.table} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ id, header, align, sortBy }) => {
            const isSorted = sorting?.column === id && sortBy !== undefined;
            const isDescending = isSorted && sorting.isDescending;
            return (
              <th
                key={id}
                role="columnheader"
                scope="col"
                data-align={align}
                aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
              >
                {sortBy ? (
                  <UnstyledButton
                    className={classes.sort}
                    onClick={() => setSorting(nextSorting(sorting, id, rows[0] ? sortBy(rows[0]) : ''))}
                  >
                    {header}
                    {isDescending ? (
                      <IconArrowDown size={13} />
                    ) : (
                      <IconArrowUp size={13} data-idle={!isSorted} />
                    )}
                  </UnstyledButton>
                ) : (
                  header
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {sorted.map((row) => (
          <tr key={rowId(row)} role="row" data-faded={isFaded?.(row) ?? false}>
            <Cells columns={columns} row={row} places={places} />
          </tr>
        ))}
      </tbody>
      {total !== undefined && (
        <tfoot role="rowgroup">
          <tr role="row">
            <Cells columns={columns} row={total} places={places} />
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface CellsProps<T> extends Pick<DataTableProps<T>, 'columns'> {
  readonly row: T;
  /** Of each column of amounts the most that one has. */
  readonly places: readonly (number | undefined)[];
}

const Cells = <T,>({ columns, row, places }: CellsProps<T>) =>
  columns.map(({ id, header, align, card, cell, amount }, index) => (
    <td key={id} role="cell" data-align={align} data-card={card ?? 'line'}>
      {card === undefined && (
        <span className={classes.label} aria-hidden>
          {header}
        </span>
      )}
      <div
        className={amount ? `${classes.value} tg-number tg-places` : classes.value}
        data-places={amount && padPlaces(amount(row) ?? '', places[index] ?? 0)}
      >
        {cell(row)}
      </div>
    </td>
  ));
