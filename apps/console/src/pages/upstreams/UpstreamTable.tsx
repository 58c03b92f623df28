import { Stack, Text, UnstyledButton } from '@mantine/core';
import { IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { catalogueQuery, type Published, type Upstream } from '../../api/catalogue.ts';
import { type Health, putUpstream } from '../../api/upstreams.ts';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import type { ChangeSearch } from './search.ts';
import { computeFigures, type UpstreamStatus, findUpstreamStatus } from './status.ts';
import { listTestModels } from './test-models.ts';
import { TestButton } from './TestButton.tsx';
import { usePublishing } from './use-publishing.ts';
import classes from './Upstreams.module.css';
import { toUpstreamInput } from './upstream-input.ts';

const RemoveDialog = lazy(() => import('./RemoveDialog.tsx'));

export const TONES: Readonly<Record<UpstreamStatus, MarkTone>> = {
  ready: 'good',
  partly: 'warn',
  recovering: 'warn',
  cooling_down: 'warn',
  ejected: 'bad',
  disabled: 'bad',
  off: 'plain',
  unknown: 'plain',
};

interface UpstreamTableProps {
  readonly live: Published;
  readonly health: Health | undefined;
  readonly change: ChangeSearch;
}

export function UpstreamTable({ live, health, change }: UpstreamTableProps) {
  const { t } = useTranslation('upstreams');
  const format = useFormat();
  const errorText = useErrorText();
  const [doomed, doom] = useState<string | null>(null);
  const queryClient = useQueryClient();
  // Whatever else was published since the page was loaded stays: only this is changed, in what holds now.
  const { mutate: switchTo } = usePublishing(async (shown: Upstream) => {
    const newest = await queryClient.fetchQuery({ ...catalogueQuery, staleTime: 0 });
    const upstream = newest.catalogue.upstreams.find(({ name }) => name === shown.name) ?? shown;
    return putUpstream(newest, toUpstreamInput({ ...upstream, disabled: shown.disabled }));
  });
  const columns = useMemo((): readonly Column<Upstream>[] => {
    const targetsOf = ({ name }: Upstream) =>
      (health?.upstreams ?? []).filter(({ upstream }) => upstream === name);
    const viewsOf = (upstream: Upstream) => targetsOf(upstream).flatMap(({ gateways }) => gateways);
    const toggle = (upstream: Upstream) =>
      switchTo(
        { ...upstream, disabled: upstream.disabled !== true },
        { onError: (error) => notify({ color: 'red', title: t('refused'), message: errorText(error) }) },
      );
    return [
      {
        id: 'name',
        header: t('columns.upstream'),
        card: 'title',
        sortBy: ({ name }) => name,
        cell: ({ name, base_url }) => (
          <Stack gap={1}>
            <UnstyledButton className={`tg-mono ${classes.name}`} onClick={() => change({ open: name })}>
              {name}
            </UnstyledButton>
            <Text size="xs" c="dimmed" className="tg-mono">
              {base_url}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'state',
        header: t('columns.state'),
        cell: (upstream) => {
          const status = findUpstreamStatus(upstream, health?.upstreams ?? []);
          return <Mark tone={TONES[status]}>{t(`status.${status}`)}</Mark>;
        },
      },
      {
        id: 'credentials',
        header: t('columns.credentials'),
        align: 'end',
        cell: ({ credentials }) => <span className="tg-number">{format.count(credentials.length)}</span>,
      },
      {
        id: 'latency',
        header: t('columns.latency'),
        align: 'end',
        cell: (upstream) => {
          const { latencyMs } = computeFigures(viewsOf(upstream));
          return (
            <span className="tg-number">
              {latencyMs === null ? '–' : t('ms', { ms: format.count(latencyMs) })}
            </span>
          );
        },
      },
      {
        id: 'failures',
        header: t('columns.failures'),
        align: 'end',
        cell: (upstream) => {
          const { failurePercent } = computeFigures(viewsOf(upstream));
          return (
            <span className="tg-number">
              {failurePercent === null ? '–' : t('percent', { percent: failurePercent })}
            </span>
          );
        },
      },
      {
        id: 'outstanding',
        header: t('columns.outstanding'),
        align: 'end',
        cell: (upstream) => (
          <span className="tg-number">
            {format.count(targetsOf(upstream).reduce((sum, { outstanding }) => sum + outstanding, 0))}
          </span>
        ),
      },
      {
        id: 'test',
        header: t('columns.test'),
        cell: ({ name }) => <TestButton upstream={name} model={listTestModels(live.catalogue, name)[0]} />,
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (upstream) => (
          <RowMenu
            label={t('doings', { name: upstream.name })}
            sections={() => [
              {
                entries: [
                  {
                    label: t('credentials'),
                    icon: <IconKey size={16} />,
                    onClick: () => change({ open: upstream.name }),
                  },
                  {
                    label: t('edit'),
                    icon: <IconPencil size={16} />,
                    onClick: () => change({ edit: upstream.name }),
                  },
                  {
                    label: t(upstream.disabled ? 'switchOn' : 'switchOff'),
                    icon: upstream.disabled ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />,
                    onClick: () => toggle(upstream),
                  },
                ],
              },
              {
                entries: [
                  {
                    label: t('remove'),
                    icon: <IconTrash size={16} />,
                    isDanger: true,
                    onClick: () => doom(upstream.name),
                  },
                ],
              },
            ]}
          />
        ),
      },
    ];
  }, [t, format, health, live, change, switchTo, errorText]);
  return (
    <>
      <DataTable
        id="upstreams"
        label={t('tabs.upstreams')}
        columns={columns}
        rows={live.catalogue.upstreams}
        rowId={({ name }) => name}
      />
      <Suspense>
        {doomed !== null && (
          <RemoveDialog live={live} section="upstreams" name={doomed} onClose={() => doom(null)} />
        )}
      </Suspense>
    </>
  );
}
