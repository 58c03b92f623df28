import { Button, Center, Group } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconColumns3, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ActionsMenu } from './ActionsMenu.tsx';
import classes from './DataTable.module.css';
import { notify } from './notify.ts';
import { nextSorting, type Sortable, type Sorting } from './sorting.ts';
import { useErrorText } from './States.tsx';

interface TableToolsProps {
  /** What the file is called. */
  readonly id: string;
  readonly columns: readonly {
    readonly name: string;
    readonly isShown: boolean;
    readonly toggle: () => void;
  }[];
  /** What rows can be ordered by, for screens that are too narrow for headers. */
  readonly orders: readonly {
    readonly column: string;
    readonly header: string;
    readonly example: Sortable;
  }[];
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting | undefined) => void;
  /** Every row that fits the filter, whether it is loaded or not. */
  readonly readAll: () => Promise<readonly unknown[]>;
}

const LOOK = { variant: 'subtle', color: 'gray', size: 'compact-sm' } as const;

/** What is done with a list as a whole: which columns it shows, and its rows as a file. */
export function TableTools({ id, columns, orders, sorting, onSort, readAll }: TableToolsProps) {
  const { t, ready } = useTranslation('table');
  const errorText = useErrorText();
  const [isSaving, setSaving] = useState(false);
  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      const [{ toCsv }, { saveText }, rows] = await Promise.all([
        import('./csv.ts'),
        import('./save-text.ts'),
        readAll(),
      ]);
      saveText(toCsv(rows), `${id}.csv`);
    } catch (error) {
      notify({ message: errorText(error), color: 'red' });
    } finally {
      setSaving(false);
    }
  };
  return (
    <Group
      className={classes.tools}
      style={{ visibility: ready ? 'visible' : 'hidden' }}
      justify="flex-end"
      gap={4}
    >
      {orders.length > 0 && <OrderMenu orders={orders} sorting={sorting} onSort={onSort} />}
      {columns.length > 1 && (
        <ActionsMenu
          target={
            <Button {...LOOK} leftSection={<IconColumns3 size={15} />}>
              {t('columns')}
            </Button>
          }
          sections={() => [
            {
              title: t('columns'),
              entries: columns.map(({ name, isShown, toggle }) => ({
                label: name,
                isChosen: isShown,
                isSwitch: true,
                onClick: toggle,
              })),
            },
          ]}
        />
      )}
      <Button
        {...LOOK}
        leftSection={<IconDownload size={15} />}
        loading={isSaving}
        title={t('csvMeans')}
        onClick={() => void save()}
      >
        {t('csv')}
      </Button>
    </Group>
  );
}

/** Orders rows where no headers are seen. */
function OrderMenu({ orders, sorting, onSort }: Pick<TableToolsProps, 'orders' | 'sorting' | 'onSort'>) {
  const { t } = useTranslation('table');
  return (
    <ActionsMenu
      target={
        <Button {...LOOK} className={classes.order} leftSection={<IconArrowsSort size={15} />}>
          {t('order')}
        </Button>
      }
      sections={() => [
        {
          title: t('order'),
          entries: orders.map(({ column, header, example }) => {
            const isChosen = sorting?.column === column;
            const icon =
              isChosen && sorting.isDescending ? <IconArrowDown size={15} /> : <IconArrowUp size={15} />;
            const onClick = () => onSort(nextSorting(sorting, column, example));
            return { label: header, isChosen, icon, onClick };
          }),
        },
      ]}
    />
  );
}

interface MoreRowsProps {
  readonly count: number;
  readonly onMore: () => void;
}

/** Where a list that is loaded whole has rows that are not drawn yet. */
export function MoreRows({ count, onMore }: MoreRowsProps) {
  const { t, ready } = useTranslation('table');
  if (!ready) return null;
  return (
    <Center p="md">
      <Button variant="default" onClick={onMore}>
        {t('more', { count })}
      </Button>
    </Center>
  );
}
