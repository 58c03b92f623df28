import { Button } from '@mantine/core';
import { IconPlus, IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLazyRoute, useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { accountsQuery, readAccounts } from '../../api/accounts.ts';
import { FindField } from '../../shared/FindField.tsx';
import { MoreButton } from '../../shared/MoreButton.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { Totals } from '../../shared/Totals.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { AccountTable } from './AccountTable.tsx';
import { toFilter } from './search.ts';
import { useAllowed } from '../../shared/use-allowed.ts';

const AccountDialog = lazy(() => import('./AccountDialog.tsx'));

export const page = createLazyRoute('/shell/accounts')({ component: Accounts });

function Accounts() {
  const { t } = useTranslation('accounts');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const router = useRouter();
  const canManageAllAccounts = useAllowed('accounts:write');
  const list = useInfiniteQuery(accountsQuery(toFilter(search)));
  const totals = list.data?.pages[0]?.totals;
  const format = useFormat();
  const accounts = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const setSearch = (change: { find?: string; create?: true | undefined }) =>
    void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false });
  const create = canManageAllAccounts && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setSearch({ create: true })}>
      {t('create')}
    </Button>
  );

  return (
    <Page title={t('title')} about={t('about')} actions={create}>
      <FindField
        label={t('find')}
        placeholder={t('findWhat')}
        find={search.find}
        onFind={(find) => setSearch({ find })}
      />
      <Totals error={null}>
        {totals && t('totals', { count: totals.accounts, balance: format.exactMoney(totals.balance_usd) })}
      </Totals>
      <Panel>
        {list.isPending && <LoadingRows />}
        {list.isError && accounts.length === 0 && (
          <Failed error={list.error} onRetry={() => void list.refetch()} />
        )}
        {list.isSuccess && accounts.length === 0 && (
          <Nothing icon={IconUsers} title={t('none.title')} about={t('none.about')} action={create} />
        )}
        {accounts.length > 0 && (
          <AccountTable accounts={accounts} readAll={() => readAccounts(toFilter(search))} />
        )}
        <MoreButton list={list} />
      </Panel>
      {search.create === true && canManageAllAccounts && (
        <Suspense>
          <AccountDialog
            onClose={() => setSearch({ create: undefined })}
            onDone={({ id }) => void router.navigate({ to: '/accounts/$id', params: { id } })}
          />
        </Suspense>
      )}
    </Page>
  );
}
