import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/audit-log.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Moment } from '../../shared/Moment.tsx';
import classes from './AuditLog.module.css';
import { useEntryText } from './use-entry-text.ts';

interface EntryTableProps {
  readonly entries: readonly AuditEntry[];
  readonly readAll: () => Promise<readonly AuditEntry[]>;
  readonly onChoose: (entry: AuditEntry) => void;
}

/** What was done, in sentences. */
export function EntryTable({ entries, readAll, onChoose }: EntryTableProps) {
  const { t } = useTranslation('audit-log');
  const textOf = useEntryText();
  const columns = useMemo(
    (): readonly Column<AuditEntry>[] => [
      {
        id: 'action',
        header: t('columns.action'),
        card: 'title',
        sortBy: 'text',
        cell: (entry) => {
          const { said, details } = textOf(entry);
          return (
            <Stack gap={1}>
              <UnstyledButton className={classes.open} onClick={() => onChoose(entry)}>
                {said}
              </UnstyledButton>
              {[details, entry.reason].map((text) =>
                text ? (
                  <Text key={text} size="xs" c="dimmed" lineClamp={2}>
                    {text}
                  </Text>
                ) : null,
              )}
            </Stack>
          );
        },
      },
      { id: 'account', header: t('account'), cell: ({ account_name: name }) => name ?? '–' },
      { id: 'actor', header: t('columns.actor'), sortBy: 'text', cell: ({ actor }) => actor },
      {
        id: 'address',
        header: t('address'),
        cell: ({ address }) => <span className="tg-mono">{address ?? '–'}</span>,
      },
      {
        id: 'name',
        header: t('columns.name'),
        isShownLater: true,
        cell: ({ action }) => <span className="tg-mono">{action}</span>,
      },
      {
        id: 'at',
        header: t('columns.at'),
        align: 'end',
        sortBy: 'figure',
        cell: ({ at }) => <Moment at={at} as="short" className="tg-number" />,
      },
    ],
    [t, textOf, onChoose],
  );
  return (
    <DataTable
      id="audit-log"
      readAll={async () =>
        (await readAll()).map((entry) => {
          const { said, details } = textOf(entry);
          return { ...entry, said, details };
        })
      }
      label={t('title')}
      columns={columns}
      rows={entries}
      rowId={({ id }) => id}
    />
  );
}
