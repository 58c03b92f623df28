import { useMemo, useState } from 'react';
import { browserStorage } from './browser-storage.ts';

/** As much of a table's column as is looked at here. */
interface AnyColumn {
  readonly id: string;
  readonly isShownLater?: boolean;
  readonly card?: 'title' | 'corner' | 'none';
}

interface ShownColumns<C> {
  readonly shown: readonly C[];
  readonly isShown: (column: C) => boolean;
  readonly toggle: (column: C) => void;
}

/**
 * Which of its columns a table shows, as this browser remembers.
 *
 * @param id of the table; without one all are shown.
 */
export function useShownColumns<C extends AnyColumn>(
  id: string | undefined,
  columns: readonly C[],
): ShownColumns<C> {
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
export const isChosen = ({ card }: AnyColumn): boolean => card !== 'title' && card !== 'corner';
