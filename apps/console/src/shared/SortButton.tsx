import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import classes from './DataTable.module.css';
import { nextSorting, type Sortable, type Sorting } from './sorting.ts';

interface SortButtonProps {
  readonly header: string;
  /** The column as the address calls it. */
  readonly column: string;
  /** A value like those that it holds. */
  readonly example: Sortable;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting | undefined) => void;
}

/** The header of a column that rows can be ordered by. */
export function SortButton({ header, column, example, sorting, onSort }: SortButtonProps) {
  const isSorted = sorting?.column === column;
  return (
    <UnstyledButton className={classes.sort} onClick={() => onSort(nextSorting(sorting, column, example))}>
      {header}
      {isSorted && sorting.isDescending ? (
        <IconArrowDown size={13} />
      ) : (
        <IconArrowUp size={13} data-idle={!isSorted} />
      )}
    </UnstyledButton>
  );
}

/** What a header says of the order to those who cannot see it. */
export const ariaSort = (
  sorting: Sorting | undefined,
  column: string | undefined,
): 'ascending' | 'descending' | undefined =>
  sorting === undefined || sorting.column !== column
    ? undefined
    : sorting.isDescending
      ? 'descending'
      : 'ascending';
