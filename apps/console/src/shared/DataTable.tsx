import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import classes from './DataTable.module.css';

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** What the column sorts by; without it its header is no button. */
  readonly sortBy?: (row: T) => string | number;
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
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

/** A table that becomes a list of cards where the screen is narrow. */
export function DataTable<T extends object>({ label, columns, rows, rowId, isFaded }: DataTableProps<T>) {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, T>();
    return helper.columns(
      columns.map((column) =>
        helper.accessor((row) => column.sortBy?.(row) ?? '', {
          id: column.id,
          enableSorting: column.sortBy !== undefined,
          sortFn: 'alphanumeric',
        }),
      ),
    );
  }, [columns]);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns: definitions, data, getRowId: rowId });
  const sortOf = (id: string) => table.getColumn(id)?.getIsSorted() ?? false;

  return (
    <table className={classes.table} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ id, header, align, sortBy }) => {
            const sorted = sortOf(id);
            return (
              <th
                key={id}
                role="columnheader"
                scope="col"
                data-align={align}
                aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
              >
                {sortBy ? (
                  <UnstyledButton
                    className={classes.sort}
                    onClick={() => table.getColumn(id)?.toggleSorting(undefined, false)}
                  >
                    {header}
                    {sorted === 'desc' ? (
                      <IconArrowDown size={13} />
                    ) : (
                      <IconArrowUp size={13} data-idle={!sorted} />
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
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id} role="row" data-faded={isFaded?.(row.original) ?? false}>
            {columns.map(({ id, header, align, card, cell }) => (
              <td key={id} role="cell" data-align={align} data-card={card ?? 'line'}>
                {card === undefined && (
                  <span className={classes.label} aria-hidden>
                    {header}
                  </span>
                )}
                <div className={classes.value}>{cell(row.original)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
