import { ActionIcon, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconDotsVertical, IconPencil, IconTrash } from '@tabler/icons-react';
import { computeServing, type Serving } from '@tollgate/catalogue/serving';
import { useMemo, useState, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Group as ModelGroup, Model, Published } from '../../api/catalogue.ts';
import type { Draft } from '../../api/drafts.ts';
import { ActionsMenu } from '../../shared/ActionsMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { type EditedSection, entriesAfter, type Entry, findEntryStatus, poolsAfter } from './changes.ts';
import { toUsd } from './prices.ts';
import type { ChangeSearch } from './search.ts';
import { ServedBy } from './ServedBy.tsx';
import classes from './Catalogue.module.css';

const RemoveDialog = lazy(() => import('./RemoveDialog.tsx'));

type Any = Entry<EditedSection>;

interface EntryTableProps {
  readonly live: Published;
  readonly draft: Draft | undefined;
  readonly section: EditedSection;
  readonly entries: readonly Any[];
  readonly change: ChangeSearch;
}

export function EntryTable({ live, draft, section, entries, change }: EntryTableProps) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const kindName = useMeterKindName();
  const [doomed, doom] = useState<string | null>(null);
  const serving = useServing(live, draft);
  const columns = useMemo((): readonly Column<Any>[] => {
    const line = (entry: Any): string => {
      const vendor = 'vendor' in entry ? entry.vendor : '';
      return [vendor, entry.description].filter((text) => text !== '').join(' · ');
    };
    const name: Column<Any> = {
      id: 'name',
      header: t('columns.name'),
      card: 'title',
      sortBy: (entry) => entry.name,
      cell: (entry) => {
        const status = findEntryStatus(live.catalogue, draft?.changes ?? [], section, entry.name);
        return (
          <Stack gap={1}>
            <Group gap="xs">
              <UnstyledButton
                className={`tg-mono ${classes.open}`}
                onClick={() => change({ edit: entry.name })}
              >
                {entry.name}
              </UnstyledButton>
              {status !== 'live' && <Mark tone="warn">{t(`status.${status}`)}</Mark>}
            </Group>
            {line(entry) !== '' && (
              <Text size="xs" c="dimmed" lineClamp={2}>
                {line(entry)}
              </Text>
            )}
          </Stack>
        );
      },
    };
    const actions: Column<Any> = {
      id: 'actions',
      header: t('columns.actions'),
      align: 'end',
      card: 'corner',
      cell: (entry) => (
        <ActionsMenu
          target={
            <ActionIcon variant="subtle" color="gray" aria-label={t('doings', { name: entry.name })}>
              <IconDotsVertical size={17} />
            </ActionIcon>
          }
          sections={[
            {
              entries: [
                {
                  label: t('edit'),
                  icon: <IconPencil size={16} />,
                  onClick: () => change({ edit: entry.name }),
                },
              ],
            },
            {
              entries: [
                {
                  label: t('remove'),
                  icon: <IconTrash size={16} />,
                  isDanger: true,
                  onClick: () => doom(entry.name),
                },
              ],
            },
          ]}
        />
      ),
    };
    const between: Readonly<Record<EditedSection, readonly Column<Any>[]>> = {
      models: modelColumns(t, format, kindName, serving) as readonly Column<Any>[],
      groups: groupColumns(t) as readonly Column<Any>[],
      vendors: [
        {
          id: 'models',
          header: t('columns.models'),
          align: 'end',
          cell: ({ name: vendor }) => (
            <span className="tg-number">
              {format.count(live.catalogue.models.filter((model) => model.vendor === vendor).length)}
            </span>
          ),
        },
      ],
    };
    return [name, ...between[section], actions];
  }, [t, format, kindName, serving, live, draft, section, change]);

  return (
    <>
      <DataTable
        id={section}
        label={t(`tabs.${section}`)}
        columns={columns}
        rows={entries}
        rowId={({ name }) => name}
      />
      <Suspense>
        {doomed !== null && (
          <RemoveDialog
            live={live}
            draft={draft}
            section={section}
            change={change}
            name={doomed}
            onClose={() => doom(null)}
          />
        )}
      </Suspense>
    </>
  );
}

/** Who serves what, live or as a draft would have it. */
const useServing = ({ catalogue }: Published, draft: Draft | undefined): Serving =>
  useMemo(() => {
    const changes = draft?.changes ?? [];
    return computeServing({
      models: entriesAfter(catalogue, changes, 'models'),
      groups: entriesAfter(catalogue, changes, 'groups'),
      pools: poolsAfter(catalogue, changes),
    });
  }, [catalogue, draft]);

type T = ReturnType<typeof useTranslation<'catalogue'>>['t'];

function modelColumns(
  t: T,
  format: ReturnType<typeof useFormat>,
  kindName: ReturnType<typeof useMeterKindName>,
  serving: Serving,
): readonly Column<Model>[] {
  const price = (kind: 'input' | 'cache_read' | 'output'): Column<Model> => ({
    id: kind,
    header: kindName(kind),
    align: 'end',
    sortBy: ({ prices }) => prices[kind] ?? 0,
    amount: ({ prices }) => format.exactMoney(toUsd(prices[kind] ?? 0)),
    cell: ({ prices }) => <span className="tg-number">{format.exactMoney(toUsd(prices[kind] ?? 0))}</span>,
  });
  return [
    price('input'),
    price('cache_read'),
    price('output'),
    {
      id: 'servedBy',
      header: t('columns.servedBy'),
      sortBy: ({ name }) =>
        serving.models
          .get(name)
          ?.pools.map(({ pool }) => pool)
          .join() ?? '',
      cell: ({ name }) => <ServedBy serving={serving.models.get(name)} />,
    },
    {
      id: 'tiers',
      header: t('columns.more'),
      cell: ({ tiers, request_price, unit_prices = {} }) => {
        const units = Object.keys(unit_prices).length;
        const more = [
          ...(tiers.length > 0 ? [t('tierCount', { count: tiers.length })] : []),
          ...(units > 0 ? [t('unitPriceCount', { count: units })] : []),
          ...(request_price > 0 ? [t('aRequest', { price: format.exactMoney(toUsd(request_price)) })] : []),
        ];
        return (
          <Text size="sm" c={more.length === 0 ? 'dimmed' : undefined}>
            {more.length === 0 ? '–' : more.join(', ')}
          </Text>
        );
      },
    },
    {
      id: 'context',
      header: t('columns.context'),
      align: 'end',
      sortBy: ({ context_window }) => context_window ?? 0,
      cell: ({ context_window: tokens }) => (
        <span className="tg-number">{tokens === null ? '–' : format.shortCount(tokens)}</span>
      ),
    },
  ];
}

const groupColumns = (t: T): readonly Column<ModelGroup>[] => [
  {
    id: 'ratio',
    header: t('columns.ratio'),
    align: 'end',
    sortBy: ({ ratio }) => Number(ratio),
    cell: ({ ratio }) => <span className="tg-number">{t('times', { ratio })}</span>,
  },
  {
    id: 'models',
    header: t('columns.models'),
    cell: ({ models }) => (
      <Text size="sm" lineClamp={2}>
        {models.includes('*') ? t('everyModel') : models.join(', ')}
      </Text>
    ),
  },
  {
    id: 'fallbacks',
    header: t('columns.fallbacks'),
    cell: ({ fallbacks }) => {
      const count = Object.keys(fallbacks).length;
      return (
        <Text size="sm" c={count === 0 ? 'dimmed' : undefined}>
          {count === 0 ? '–' : t('fallbackCount', { count })}
        </Text>
      );
    },
  },
];
