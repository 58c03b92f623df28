import { ActionIcon, Stack, Text } from '@mantine/core';
import {
  IconActivity,
  IconDotsVertical,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '../../api/keys.ts';
import { ActionsMenu } from '../../shared/ActionsMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { BudgetBar } from './BudgetBar.tsx';
import { type Standing, standingOf } from './standing.ts';
import { useKeyChanges } from './use-key-changes.tsx';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

const TONES: Readonly<Record<Standing, MarkTone>> = {
  active: 'good',
  disabled: 'plain',
  expired: 'warn',
  spent: 'bad',
};

export function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const { setStatus, remove } = useKeyChanges();
  const [doomed, doom] = useState<ApiKey | null>(null);

  const columns = useMemo(
    (): readonly Column<ApiKey>[] => [
      {
        id: 'name',
        header: t('columns.key'),
        card: 'title',
        cell: ({ name, masked, strict }) => (
          <Stack gap={0}>
            <Text size="sm" fw={580} lineClamp={2}>
              {name}
            </Text>
            <Text size="xs" c="dimmed" className="tg-mono">
              {masked}
              {strict && ` · ${t('strictShort')}`}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: (key) => {
          const standing = standingOf(key);
          return <Mark tone={TONES[standing]}>{t(`standing.${standing}`)}</Mark>;
        },
      },
      { id: 'group', header: t('columns.group'), cell: ({ group }) => group },
      { id: 'spent', header: t('columns.spent'), cell: (key) => <BudgetBar apiKey={key} /> },
      {
        id: 'used',
        header: t('columns.used'),
        cell: ({ last_used_at: at }) =>
          at === null ? (
            <Text size="sm" c="dimmed">
              {t('never')}
            </Text>
          ) : (
            <time dateTime={at} title={format.moment(at)}>
              {format.fromNow(at)}
            </time>
          ),
      },
      {
        id: 'expires',
        header: t('columns.expires'),
        cell: ({ expires_at: at }) =>
          at === null ? (
            <Text size="sm" c="dimmed">
              {t('never')}
            </Text>
          ) : (
            <time dateTime={at} title={format.moment(at)}>
              {format.day(at)}
            </time>
          ),
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (key) => <KeyMenu apiKey={key} onStatus={setStatus} onDelete={() => doom(key)} />,
      },
    ],
    [t, format, setStatus],
  );

  return (
    <>
      <DataTable label={t('title')} columns={columns} rows={keys} rowId={({ id }) => id} />
      {doomed && (
        <Suspense>
          <ConfirmDialog
            title={t('deleting.title', { name: doomed.name })}
            about={t('deleting.about')}
            submit={t('deleting.submit')}
            onClose={() => doom(null)}
            onConfirm={() => {
              doom(null);
              remove(doomed);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

interface KeyMenuProps {
  readonly apiKey: ApiKey;
  readonly onStatus: (key: ApiKey, status: ApiKey['status']) => void;
  readonly onDelete: () => void;
}

function KeyMenu({ apiKey, onStatus, onDelete }: KeyMenuProps) {
  const { t } = useTranslation('keys');
  const router = useRouter();
  const isActive = apiKey.status === 'active';
  return (
    <ActionsMenu
      target={
        <ActionIcon variant="subtle" color="gray" aria-label={t('doings', { name: apiKey.name })}>
          <IconDotsVertical size={17} />
        </ActionIcon>
      }
      sections={[
        {
          entries: [
            {
              label: t('seeUsage'),
              icon: <IconActivity size={16} />,
              onClick: () => void router.navigate({ to: '/usage', search: { key: apiKey.id } }),
            },
            {
              label: t(isActive ? 'disable' : 'enable'),
              icon: isActive ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />,
              onClick: () => onStatus(apiKey, isActive ? 'disabled' : 'active'),
            },
          ],
        },
        {
          entries: [{ label: t('delete'), icon: <IconTrash size={16} />, isDanger: true, onClick: onDelete }],
        },
      ]}
    />
  );
}
