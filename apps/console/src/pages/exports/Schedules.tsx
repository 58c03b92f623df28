import { Stack, Text, Title } from '@mantine/core';
import { IconHistory, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  removeSchedule,
  type Schedule,
  SCHEDULES,
  schedulesQuery,
  setScheduleStatus,
} from '../../api/exports.ts';
import { Moment } from '../../shared/Moment.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { notify } from '../../shared/notify.ts';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { AccountName } from '../accounts/AccountName.tsx';
import { STATUS_TONES } from './ExportTable.tsx';
import classes from './Exports.module.css';

const ConfirmDialog = lazy(() => import('../../shared/ConfirmDialog.tsx'));

/** Exports that come by themselves. Without any there is nothing to see. */
export function Schedules({ onHistory }: { readonly onHistory: (id: string) => void }) {
  const { t } = useTranslation('exports');
  const format = useFormat();
  const { data, error, refetch } = useQuery(schedulesQuery);
  const columns = useMemo(
    (): readonly Column<Schedule>[] => [
      {
        id: 'name',
        header: t('schedules.name'),
        card: 'title',
        cell: ({ name, kind, format: written, account_id: account }) => (
          <Stack gap={0}>
            <Text size="sm" fw={580}>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {t('what', { kind: t(`kinds.${kind}`), format: t(`formats.${written}`) })}
              {account !== null && (
                <>
                  {' · '}
                  <AccountName id={account} />
                </>
              )}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'when',
        header: t('schedules.when'),
        cell: (schedule) => (
          <Stack gap={0}>
            <span>
              {t(`schedules.${schedule.every}`, {
                day: schedule.day,
                hour: `${String(schedule.hour).padStart(2, '0')}:00`,
              })}
            </span>
            <Text size="xs" c="dimmed">
              {schedule.time_zone}
              {schedule.after_close && ` · ${t('schedules.afterClose')}`}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'next',
        header: t('schedules.next'),
        cell: ({ status, next }) =>
          status === 'paused' ? (
            <Mark>{t('schedules.paused')}</Mark>
          ) : next.waits_for_close && Date.parse(next.due_at) < Date.now() ? (
            <Mark tone="warn">{t('schedules.waits')}</Mark>
          ) : (
            <Moment at={next.due_at} as="ago" />
          ),
      },
      {
        id: 'last',
        header: t('schedules.last'),
        cell: ({ last }) =>
          last === null ? (
            <Text size="sm" c="dimmed">
              {t('schedules.never')}
            </Text>
          ) : (
            <span title={format.moment(last.asked_at)}>
              <Mark tone={STATUS_TONES[last.status]}>{t(`statuses.${last.status}`)}</Mark>
            </span>
          ),
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (schedule) => <ScheduleMenu schedule={schedule} onHistory={() => onHistory(schedule.id)} />,
      },
    ],
    [t, format, onHistory],
  );
  if (!data && error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <Panel>
      <Title order={2} className={classes.bar}>
        {t('schedules.title')}
      </Title>
      <DataTable
        label={t('schedules.title')}
        columns={columns}
        rows={data.items}
        rowId={({ id }) => id}
        isFaded={({ status }) => status === 'paused'}
      />
    </Panel>
  );
}

interface ScheduleMenuProps {
  readonly schedule: Schedule;
  readonly onHistory: () => void;
}

function ScheduleMenu({ schedule, onHistory }: ScheduleMenuProps) {
  const { t } = useTranslation(['exports', 'finance']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const refused = (error: Error) =>
    notify({ color: 'red', title: t('refused', { ns: 'finance' }), message: errorText(error) });
  const settled = () => queryClient.invalidateQueries({ queryKey: SCHEDULES });
  const isActive = schedule.status === 'active';
  const switching = useMutation({
    mutationFn: () => setScheduleStatus(schedule.id, isActive ? 'paused' : 'active'),
    onError: refused,
    onSettled: settled,
  });
  const removing = useMutation({
    mutationFn: () => removeSchedule(schedule.id),
    onSuccess: () => notify({ message: t('schedules.deleted', { name: schedule.name }) }),
    onError: refused,
    onSettled: settled,
  });
  const [isRemoving, remove] = useState(false);
  return (
    <>
      <RowMenu
        label={t('schedules.doings', { name: schedule.name })}
        sections={() => [
          {
            entries: [
              { label: t('schedules.history'), icon: <IconHistory size={16} />, onClick: onHistory },
              {
                label: t(isActive ? 'schedules.pause' : 'schedules.resume'),
                icon: isActive ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />,
                onClick: () => switching.mutate(),
              },
            ],
          },
          {
            entries: [
              {
                label: t('schedules.delete'),
                icon: <IconTrash size={16} />,
                isDanger: true,
                onClick: () => remove(true),
              },
            ],
          },
        ]}
      />
      <Suspense>
        {isRemoving && (
          <ConfirmDialog
            title={t('schedules.deleting.title', { name: schedule.name })}
            about={t('schedules.deleting.about')}
            submit={t('schedules.deleting.submit')}
            onClose={() => remove(false)}
            onConfirm={() => {
              remove(false);
              removing.mutate();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
