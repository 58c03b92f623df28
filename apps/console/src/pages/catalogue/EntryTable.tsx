import { IconPencil, IconTrash } from '@tabler/icons-react';
import { computeServing, type Serving } from '@tollgate/catalogue/serving';
import { useMemo, useState, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Group as ModelGroup, Model, Published } from '../../api/catalogue.ts';
import type { Draft } from '../../api/drafts.ts';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { type EditedSection, entriesAfter, type Entry, findEntryStatus, poolsAfter } from './changes.ts';
import { toUsd } from './prices.ts';
import type { ChangeSearch } from './search.ts';
import { showServing } from './show-serving.tsx';
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
          <>
            <div className={classes.name}>
              <button
                type="button"
                className={`${classes.open} tg-mono`}
                onClick={() => change({ edit: entry.name })}
              >
                {entry.name}
              </button>
              {status !== 'live' && <Mark tone="warn">{t(`status.${status}`)}</Mark>}
            </div>
            {line(entry) !== '' && <div className={`tg-note ${classes.short}`}>{line(entry)}</div>}
          </>
        );
      },
    };
    const actions: Column<Any> = {
      id: 'actions',
      header: t('columns.actions'),
      align: 'end',
      card: 'corner',
      cell: (entry) => (
        <RowMenu
          label={t('doings', { name: entry.name })}
          sections={() => [
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
      cell: ({ name }) => showServing(serving.models.get(name), t),
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
          <span className={more.length === 0 ? 'tg-quiet' : ''}>
            {more.length === 0 ? '–' : more.join(', ')}
          </span>
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
      <span className={classes.short}>{models.includes('*') ? t('everyModel') : models.join(', ')}</span>
    ),
  },
  {
    id: 'fallbacks',
    header: t('columns.fallbacks'),
    cell: ({ fallbacks }) => {
      const count = Object.keys(fallbacks).length;
      return (
        <span className={count === 0 ? 'tg-quiet' : ''}>
          {count === 0 ? '–' : t('fallbackCount', { count })}
        </span>
      );
    },
  },
];
