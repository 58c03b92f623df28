import { Button, Group, TextInput } from '@mantine/core';
import { IconHash, IconReceipt2, IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ledgerQuery, ledgerTotalsQuery, readTransactions } from '../../api/ledger.ts';
import { TRANSACTION_KINDS } from '@tollgate/vocabulary';
import { Choice } from '../../shared/Choice.tsx';
import { DaysField } from '../../shared/DaysField.tsx';
import { MoreButton } from '../../shared/MoreButton.tsx';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed, isAnyFilter } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { CutSort, isCutSort, Totals } from '../../shared/Totals.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { AccountField } from '../accounts/AccountField.tsx';
import { toFilter } from './entry-filter.ts';
import { isNumber, type LedgerSearch } from './search.ts';
import { TransactionTable } from './TransactionTable.tsx';
import { useAudit } from './use-audit.ts';
import { useZone } from '../../shared/use-zone.ts';

const Audited = lazy(() => import('./Audited.tsx'));
const TransactionDrawer = lazy(() => import('./TransactionDrawer.tsx'));

export const page = createLazyRoute('/shell/ledger')({ component: Ledger });

function Ledger() {
  const { t } = useTranslation(['ledger', 'finance']);
  const { number, ...search } = page.useSearch();
  const navigate = page.useNavigate();
  const filter = toFilter(search, useZone());
  const list = useInfiniteQuery(ledgerQuery(filter));
  const { data: totals, error: totalsError } = useQuery(ledgerTotalsQuery(filter));
  const format = useFormat();
  const { audit, isRunning, ask } = useAudit();
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = isAnyFilter(search);
  const setSearch = (change: Change) =>
    void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false });

  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={<AuditButton isRunning={isRunning} onClick={() => ask(false)} />}
    >
      {audit && (
        <Suspense>
          <Audited audit={audit} onFromStart={() => ask(true)} />
        </Suspense>
      )}
      <Filters search={search} onChange={setSearch} />
      <Totals error={totalsError}>
        {totals &&
          t('totals', {
            count: totals.transactions,
            amount: format.exactMoney(totals.amount_usd),
          })}
        {totals && isCutSort(search.sort, 'number', totals.transactions) && <CutSort />}
      </Totals>
      <Panel>
        {list.isPending && <LoadingRows rows={10} />}
        {list.isError && rows.length === 0 && (
          <Failed error={list.error} onRetry={() => void list.refetch()} />
        )}
        {list.isSuccess && rows.length === 0 && (
          <Nothing
            icon={IconReceipt2}
            title={t(isFiltered ? 'none.filteredTitle' : 'none.title')}
            about={t(isFiltered ? 'none.filteredAbout' : 'none.about')}
          />
        )}
        {rows.length > 0 && (
          <TransactionTable
            transactions={rows}
            onChoose={(chosen) => setSearch({ number: chosen })}
            readAll={() => readTransactions(filter)}
          />
        )}
        <MoreButton list={list} />
      </Panel>
      <OnceOpened isOpen={number !== undefined}>
        <TransactionDrawer
          number={number ?? null}
          onChoose={(chosen) => setSearch({ number: chosen })}
          onClose={() => setSearch({ number: undefined })}
        />
      </OnceOpened>
    </Page>
  );
}

interface AuditButtonProps {
  readonly isRunning: boolean;
  readonly onClick: () => void;
}

function AuditButton({ isRunning, onClick }: AuditButtonProps) {
  const { t } = useTranslation('ledger');
  return (
    <Button
      variant="default"
      leftSection={<IconShieldCheck size={16} />}
      loading={isRunning}
      onClick={onClick}
    >
      {t('audit')}
    </Button>
  );
}

type Change = { [name in keyof LedgerSearch]?: LedgerSearch[name] | undefined };

interface FiltersProps {
  readonly search: LedgerSearch;
  readonly onChange: (change: Change) => void;
}

function Filters({ search, onChange }: FiltersProps) {
  const { t } = useTranslation(['ledger', 'finance']);
  return (
    <Group gap="sm" align="flex-end">
      <AccountField value={search.account} onChange={(account) => onChange({ account })} />
      <Choice
        flex="1 1 10rem"
        maw={{ sm: 200 }}
        label={t('kind')}
        placeholder={t('everyKind')}
        clearable
        data={TRANSACTION_KINDS.map((kind) => ({
          value: kind,
          label: t(`kinds.${kind}`, { ns: 'finance' }),
        }))}
        value={search.kind ?? null}
        onChange={(kind) => onChange({ kind: TRANSACTION_KINDS.find((each) => each === kind) })}
      />
      <DaysField days={search} onChange={onChange} />
      <TextInput
        flex="1 1 7rem"
        maw={{ sm: 150 }}
        label={t('goTo')}
        placeholder={t('goToSuch')}
        leftSection={<IconHash size={16} />}
        inputMode="numeric"
        onKeyDown={({ key, currentTarget: { value } }) => {
          if (key === 'Enter' && isNumber(Number(value))) onChange({ number: Number(value) });
        }}
      />
    </Group>
  );
}
