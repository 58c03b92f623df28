import { Progress, Stack, Text } from '@mantine/core';
import { IconDownload, IconFileText, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  cancelExport,
  type ExportJob,
  EXPORTS,
  type ExportStatus,
  fileUrl,
  isOpen,
  manifestQuery,
} from '../../api/exports.ts';
import { Moment } from '../../shared/Moment.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { notify } from '../../shared/notify.ts';
import { saveFrom } from '../../shared/save-text.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { AccountName } from '../accounts/AccountName.tsx';
import { byteSize } from './sums.ts';
import { useSpan } from './use-span.ts';
import classes from './Exports.module.css';

export const STATUS_TONES: Readonly<Record<ExportStatus, MarkTone>> = {
  queued: 'plain',
  running: 'accent',
  done: 'good',
  failed: 'bad',
  cancelled: 'warn',
};

interface ExportTableProps {
  readonly jobs: readonly ExportJob[];
  readonly readAll: () => Promise<readonly ExportJob[]>;
  readonly onManifest: (job: ExportJob) => void;
}

export function ExportTable({ jobs, readAll, onManifest }: ExportTableProps) {
  const { t, i18n } = useTranslation('exports');
  const format = useFormat();
  const spanText = useSpan();
  const columns = useMemo(
    (): readonly Column<ExportJob>[] => [
      {
        id: 'kind',
        header: t('columns.what'),
        card: 'title',
        sortBy: 'text',
        cell: ({ kind, format: written, from, to }) => (
          <Stack gap={0}>
            <Text size="sm" fw={580}>
              {t('what', { kind: t(`kinds.${kind}`), format: t(`formats.${written}`) })}
            </Text>
            <Text size="xs" c="dimmed">
              {spanText(from, to)}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'account',
        header: t('columns.filters'),
        cell: ({ account_id: account, model }) => (
          <Text size="sm" lineClamp={2}>
            {account === null ? t('everyAccount') : <AccountName id={account} />}
            {model !== null && ` · ${model}`}
          </Text>
        ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        sortBy: 'text',
        cell: (job) => <Progressing job={job} />,
      },
      {
        id: 'rows',
        header: t('columns.rows'),
        sortBy: 'figure',
        align: 'end',
        cell: ({ rows }) => <span className="tg-number">{format.count(rows.done)}</span>,
      },
      {
        id: 'size',
        header: t('columns.size'),
        sortBy: 'figure',
        align: 'end',
        cell: ({ bytes }) => <span className="tg-number">{byteSize(bytes, i18n.language)}</span>,
      },
      {
        id: 'asked',
        header: t('columns.asked'),
        sortBy: 'figure',
        cell: ({ created_at: at, requested_by: by, schedule_id: schedule }) => (
          <Stack gap={0}>
            <Moment at={at} as="ago" />
            <Text size="xs" c="dimmed" lineClamp={1}>
              {schedule === null ? by : t('bySchedule')}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (job) => <ExportMenu job={job} onManifest={() => onManifest(job)} />,
      },
    ],
    [t, i18n.language, format, spanText, onManifest],
  );
  return (
    <DataTable
      id="exports"
      readAll={readAll}
      label={t('title')}
      columns={columns}
      rows={jobs}
      rowId={({ id }) => id}
      isFaded={({ status }) => status === 'cancelled'}
    />
  );
}

function Progressing({ job }: { readonly job: ExportJob }) {
  const { t } = useTranslation('exports');
  const percent = Math.floor((job.progress ?? 0) * 100);
  return (
    <Stack gap={5} className={classes.progress}>
      <span title={job.error ?? undefined}>
        <Mark tone={STATUS_TONES[job.status]}>{t(`statuses.${job.status}`)}</Mark>
      </span>
      {isOpen(job) && (
        <Progress
          value={job.progress === null ? 100 : percent}
          animated={job.progress === null}
          size={4}
          aria-label={t('percent', { percent })}
        />
      )}
      {job.error !== null && job.status === 'failed' && (
        <Text size="xs" c="var(--tg-bad)" lineClamp={2}>
          {job.error}
        </Text>
      )}
    </Stack>
  );
}

function ExportMenu({ job, onManifest }: { readonly job: ExportJob; readonly onManifest: () => void }) {
  const { t } = useTranslation(['exports', 'finance']);
  const queryClient = useQueryClient();
  const errorText = useErrorText();
  const onError = (error: Error) =>
    notify({ color: 'red', title: t('refused', { ns: 'finance' }), message: errorText(error) });
  const cancelling = useMutation({
    mutationFn: () => cancelExport(job.id),
    onError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: EXPORTS }),
  });
  const saving = useMutation({
    mutationFn: () => queryClient.fetchQuery(manifestQuery(job.id)),
    onError,
    // One of several would be taken for all of it.
    onSuccess: ({ files }) => (files.length === 1 ? saveFrom(fileUrl(job.id, 1)) : onManifest()),
  });
  const entries = isOpen(job)
    ? [
        {
          label: t('cancel'),
          icon: <IconX size={16} />,
          isDanger: true,
          onClick: () => cancelling.mutate(),
        },
      ]
    : [
        ...(job.files_removed_at === null
          ? [{ label: t('download'), icon: <IconDownload size={16} />, onClick: () => saving.mutate() }]
          : []),
        { label: t('manifest.open'), icon: <IconFileText size={16} />, onClick: onManifest },
      ];
  if (!isOpen(job) && job.status !== 'done') return null;
  return (
    <RowMenu
      label={t('doings', { kind: t(`kinds.${job.kind}`), format: t(`formats.${job.format}`) })}
      sections={() => [{ entries }]}
    />
  );
}
