import { Button } from '@mantine/core';
import { IconScale, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { reconciliationsQuery } from '../../api/reconciliation.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { Comparison } from './Comparison.tsx';
import { ReconciliationTable } from './ReconciliationTable.tsx';
import type { ReconciliationSearch } from './search.ts';

const CompareDialog = lazy(() => import('./CompareDialog.tsx'));

export const page = createLazyRoute('/shell/reconciliation')({ component: Reconciliation });

function Reconciliation() {
  const { t } = useTranslation('reconciliation');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const { data, error, refetch } = useQuery(reconciliationsQuery);
  const shown = search.id ?? data?.items[0]?.id;
  const setSearch = (change: {
    [name in keyof ReconciliationSearch]?: ReconciliationSearch[name] | undefined;
  }) => void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false });
  const compare = (
    <Button leftSection={<IconUpload size={16} />} onClick={() => setSearch({ create: true })}>
      {t('compare')}
    </Button>
  );

  return (
    <Page title={t('title')} about={t('about')} actions={compare}>
      {shown !== undefined && (
        <Comparison id={shown} rows={search.rows} onRows={(rows) => setSearch({ rows })} />
      )}
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.items.length === 0 && (
          <Nothing icon={IconScale} title={t('none.title')} about={t('none.about')} action={compare} />
        )}
        {data && data.items.length > 0 && (
          <ReconciliationTable
            items={data.items}
            shown={shown}
            onChoose={(id) => setSearch({ id, rows: undefined })}
          />
        )}
      </Panel>
      {search.create === true && (
        <Suspense>
          <CompareDialog
            onClose={() => setSearch({ create: undefined })}
            onDone={(id) => setSearch({ id, rows: undefined, create: undefined })}
          />
        </Suspense>
      )}
    </Page>
  );
}
