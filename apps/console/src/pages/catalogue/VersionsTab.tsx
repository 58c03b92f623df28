import { ActionIcon, Group, Select, Text, Title } from '@mantine/core';
import { IconGitCompare, IconHistory, IconRestore, IconX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { differencesQuery, type Published, type VersionEntry, versionsQuery } from '../../api/catalogue.ts';
import { Moment } from '../../shared/Moment.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { NextPage } from '../../shared/MoreButton.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { DifferenceList } from './DifferenceList.tsx';
import type { CatalogueSearch, ChangeSearch } from './search.ts';
import { WhatChanged } from './WhatChanged.tsx';
import { useDiscountNames } from './use-discount-names.ts';
import classes from './Catalogue.module.css';

const RestoreDialog = lazy(() => import('./RestoreDialog.tsx'));

interface VersionsTabProps {
  readonly live: Published;
  readonly search: CatalogueSearch;
  readonly change: ChangeSearch;
}

/** Every version, what any two say otherwise, and the way back to one. */
export default function VersionsTab({ live, search, change }: VersionsTabProps) {
  const { t } = useTranslation(['catalogue-versions', 'catalogue']);
  const log = useInfiniteQuery(versionsQuery);
  const versions = useMemo(() => log.data?.pages.flatMap(({ items }) => items) ?? [], [log.data]);
  const [restored, restore] = useState<number | null>(null);
  const { from, to } = search;
  return (
    <>
      {from !== undefined && to !== undefined && (
        <Comparison from={from} to={to} versions={versions} change={change} />
      )}
      <Panel>
        {log.isPending && <LoadingRows rows={8} />}
        {log.isError && versions.length === 0 && (
          <Failed error={log.error} onRetry={() => void log.refetch()} />
        )}
        {log.isSuccess && versions.length === 0 && (
          <Nothing icon={IconHistory} title={t('versions.noneTitle')} about={t('versions.noneAbout')} />
        )}
        {versions.length > 0 && (
          <VersionTable live={live} versions={versions} change={change} onRestore={restore} />
        )}
        <NextPage list={log} label={t('versions.more')} />
      </Panel>
      <Suspense>
        {restored !== null && (
          <RestoreDialog version={restored} change={change} onClose={() => restore(null)} />
        )}
      </Suspense>
    </>
  );
}

interface VersionTableProps {
  readonly live: Published;
  readonly versions: readonly VersionEntry[];
  readonly change: ChangeSearch;
  readonly onRestore: (version: number) => void;
}

function VersionTable({ live, versions, change, onRestore }: VersionTableProps) {
  const { t } = useTranslation(['catalogue-versions', 'catalogue']);
  const format = useFormat();
  const columns = useMemo((): readonly Column<VersionEntry>[] => {
    const compare = (from: number, to: number) => change({ from, to });
    return [
      {
        id: 'version',
        header: t('versions.version'),
        card: 'title',
        cell: ({ version }) => (
          <Group gap="xs">
            <Text size="sm" fw={620} className="tg-number">
              {version}
            </Text>
            {version === live.version && <Mark tone="good">{t('versions.live')}</Mark>}
          </Group>
        ),
      },
      {
        id: 'reason',
        header: t('versions.reason'),
        cell: ({ reason, version }) => (
          <>
            <WhatChanged version={version} />
            <Text size="xs" c="dimmed">
              {reason}
            </Text>
          </>
        ),
      },
      { id: 'actor', header: t('versions.actor'), cell: ({ actor }) => actor },
      {
        id: 'at',
        header: t('versions.at'),
        cell: ({ published_at: at }) => <Moment at={at} as="short" />,
      },
      {
        id: 'actions',
        header: t('columns.actions', { ns: 'catalogue' }),
        align: 'end',
        card: 'corner',
        cell: ({ version }) => (
          <RowMenu
            width={250}
            label={t('doings', { ns: 'catalogue', name: t('versions.name', { version }) })}
            sections={() => [
              {
                entries: [
                  ...(version > 1
                    ? [
                        {
                          label: t('versions.toBefore'),
                          icon: <IconGitCompare size={16} />,
                          onClick: () => compare(version - 1, version),
                        },
                      ]
                    : []),
                  ...(version === live.version
                    ? []
                    : [
                        {
                          label: t('versions.toLive'),
                          icon: <IconGitCompare size={16} />,
                          onClick: () => compare(version, live.version),
                        },
                        {
                          label: t('versions.restore'),
                          icon: <IconRestore size={16} />,
                          onClick: () => onRestore(version),
                        },
                      ]),
                ],
              },
            ]}
          />
        ),
      },
    ];
  }, [t, format, live, change, onRestore]);
  return (
    <DataTable
      label={t('tabs.versions', { ns: 'catalogue' })}
      columns={columns}
      rows={versions}
      rowId={({ version }) => String(version)}
    />
  );
}

interface ComparisonProps {
  readonly from: number;
  readonly to: number;
  readonly versions: readonly VersionEntry[];
  readonly change: ChangeSearch;
}

function Comparison({ from, to, versions, change }: ComparisonProps) {
  const { t } = useTranslation(['catalogue-versions', 'catalogue']);
  const { data, error, refetch } = useQuery(differencesQuery(from, to));
  const names = useDiscountNames(data?.differences);
  const numbers = [...new Set([...versions.map(({ version }) => version), from, to])].sort((a, b) => b - a);
  const choice = (which: 'from' | 'to', value: number) => (
    <Select
      w={150}
      allowDeselect={false}
      aria-label={t(`versions.${which}`)}
      data={numbers.map((version) => ({ value: String(version), label: t('versions.name', { version }) }))}
      value={String(value)}
      onChange={(chosen) => change({ from, to, [which]: Number(chosen) })}
    />
  );
  return (
    <Panel mb="md">
      <Group className={classes.bar} justify="space-between">
        <Group gap="sm">
          <Title order={2}>{t('versions.compared')}</Title>
          {choice('from', from)}
          <span aria-hidden>→</span>
          {choice('to', to)}
        </Group>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('versions.stopComparing')}
          onClick={() => change({ from: undefined, to: undefined })}
        >
          <IconX size={17} />
        </ActionIcon>
      </Group>
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {!error && !data && <LoadingRows rows={3} />}
      {data?.differences.length === 0 && (
        <Nothing icon={IconGitCompare} title={t('versions.sameTitle')} about={t('versions.sameAbout')} />
      )}
      {data && data.differences.length > 0 && (
        <div className={classes.compared}>
          <DifferenceList differences={data.differences} accountNames={names} />
        </div>
      )}
    </Panel>
  );
}
