import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconSearch, IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLazyRoute, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountsQuery } from '../../api/accounts.ts';
import { MoreButton } from '../../shared/MoreButton.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { AccountTable } from './AccountTable.tsx';
import { useAllowed } from '../../shared/use-allowed.ts';

const AccountDialog = lazy(() => import('./AccountDialog.tsx'));

export const page = createLazyRoute('/shell/accounts')({ component: Accounts });

const TYPING_MS = 250;

function Accounts() {
  const { t } = useTranslation('accounts');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const router = useRouter();
  const canManageAllAccounts = useAllowed('accounts:write');
  const [find, setFind] = useState(search.find ?? '');
  const list = useInfiniteQuery(accountsQuery(search.find ?? ''));
  const accounts = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const setSearch = (change: { find?: string; create?: true | undefined }) =>
    void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false });
  const look = useDebouncedCallback((text: string) => setSearch({ find: text.trim() }), TYPING_MS);
  const create = canManageAllAccounts && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setSearch({ create: true })}>
      {t('create')}
    </Button>
  );

  return (
    <Page title={t('title')} about={t('about')} actions={create}>
      <TextInput
        type="search"
        maw={{ sm: 360 }}
        label={t('find')}
        placeholder={t('findWhat')}
        leftSection={<IconSearch size={16} />}
        value={find}
        onChange={({ currentTarget: { value } }) => {
          setFind(value);
          look(value);
        }}
      />
      <Panel>
        {list.isPending && <LoadingRows />}
        {list.isError && accounts.length === 0 && (
          <Failed error={list.error} onRetry={() => void list.refetch()} />
        )}
        {list.isSuccess && accounts.length === 0 && (
          <Nothing icon={IconUsers} title={t('none.title')} about={t('none.about')} action={create} />
        )}
        {accounts.length > 0 && <AccountTable accounts={accounts} />}
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
