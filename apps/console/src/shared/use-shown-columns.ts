import { useMemo, useState } from 'react';
import { browserStorage } from './browser-storage.ts';
import type { Column } from './DataTable.tsx';

interface ShownColumns<T> {
  readonly shown: readonly Column<T>[];
  readonly isShown: (column: Column<T>) => boolean;
  readonly toggle: (column: Column<T>) => void;
}

/**
 * Which of its columns a table shows, as this browser remembers.
 *
 * @param id of the table; without one all are shown.
 */
export function useShownColumns<T>(id: string | undefined, columns: readonly Column<T>[]): ShownColumns<T> {
  const name = `columns.${id ?? ''}` as const;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(
    () => new Set(id === undefined ? [] : browserStorage.read(name)?.split(' ')),
  );
  const shown = useMemo(
    () =>
      columns.filter(
        (column) => !isChosen(column) || toggled.has(column.id) === (column.isShownLater ?? false),
      ),
    [columns, toggled],
  );
  return {
    shown,
    isShown: (column) => shown.includes(column),
    toggle: (column) => {
      const next = new Set(toggled);
      if (!next.delete(column.id)) next.add(column.id);
      setToggled(next);
      if (next.size === 0) browserStorage.forget(name);
      else browserStorage.write(name, [...next].join(' '));
    },
  };
}

/** What a row is called by, and what is done with it, is always there. */
export const isChosen = <T>({ card }: Column<T>): boolean => card !== 'title' && card !== 'corner';
