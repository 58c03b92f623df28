import { Button } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keysQuery, type NewApiKey, readKeys } from '../../api/keys.ts';
import { FindField } from '../../shared/FindField.tsx';
import { Page } from '../../shared/Page.tsx';
import { Pages } from '../../shared/Pages.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useAllowed } from '../../shared/use-allowed.ts';
import { KeyList } from './KeyList.tsx';
import { KEYS_PER_PAGE, type KeysSearch, toFilter, toQuery } from './search.ts';

const KeyDialog = lazy(() => import('./KeyDialog.tsx'));
const NewKeyDialog = lazy(() => import('./NewKeyDialog.tsx'));

export const page = createLazyRoute('/shell/keys')({ component: Keys });

function Keys() {
  const { t } = useTranslation('keys');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const { data, error, isPlaceholderData, refetch } = useQuery(keysQuery(toQuery(search)));
  const [made, setMade] = useState<NewApiKey | null>(null);
  const setCreating = (create: boolean) =>
    void navigate({
      search: (before) => changed(before, { create: create ? true : undefined }),
      replace: !create,
      resetScroll: false,
    });
  const create = useAllowed('keys:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );
  const isCreating = search.create === true && create !== false;
  const pages = Math.ceil((data?.total ?? 0) / KEYS_PER_PAGE);
  usePageAhead(search, !isPlaceholderData && (search.page ?? 1) < pages);

  return (
    <Page title={t('title')} about={t('about')} actions={create}>
      <Find />
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.total === 0 && search.find === undefined && (
          <Nothing icon={IconKey} title={t('none.title')} about={t('none.about')} action={create} />
        )}
        {data?.total === 0 && search.find !== undefined && (
          <Nothing icon={IconKey} title={t('none.filtered')} about={t('none.filteredAbout')} />
        )}
        {data && data.total > 0 && <KeyList keys={data.items} readAll={() => readKeys(toFilter(search))} />}
      </Panel>
      {data && data.total > 0 && (
        <Pages
          total={t('total', { count: data.total })}
          pages={pages}
          page={search.page ?? 1}
          onChange={(number, isCorrected = false) =>
            void navigate({
              search: (before) => changed(before, { page: number === 1 ? undefined : number }),
              replace: isCorrected,
            })
          }
        />
      )}
      <Suspense>
        {isCreating && (
          <KeyDialog
            onClose={() => setCreating(false)}
            onMade={(key) => {
              setCreating(false);
              setMade(key);
            }}
          />
        )}
        {made && <NewKeyDialog made={made} onClose={() => setMade(null)} />}
      </Suspense>
    </Page>
  );
}

/**
 * Has the page after the one that is shown, where there is one, before it is asked for. An index knows where that begins; what
 * is searched for would be looked for twice, and is rarely gone through.
 */
function usePageAhead(search: KeysSearch, isThere: boolean): void {
  const client = useQueryClient();
  const { find, sort, page: number = 1 } = search;
  const isCheap = find === undefined;
  useEffect(() => {
    if (isThere && isCheap)
      void client.prefetchQuery(keysQuery(toQuery({ ...toFilter({ sort }), page: number + 1 })));
  }, [client, sort, number, isThere, isCheap]);
}

function Find() {
  const { t } = useTranslation('keys');
  const { find } = page.useSearch();
  const navigate = page.useNavigate();
  return (
    <FindField
      label={t('find')}
      placeholder={t('findWhat')}
      find={find}
      onFind={(text) =>
        void navigate({
          search: (before) => changed(before, { find: text, page: undefined }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
