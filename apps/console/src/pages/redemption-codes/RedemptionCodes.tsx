import { Button } from '@mantine/core';
import { IconPlus, IconTicket } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Batch, batchesQuery } from '../../api/redemption.ts';
import { MoreButton } from '../../shared/MoreButton.tsx';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import type { MadeBatch } from './batch-form.ts';
import { BatchTable } from './BatchTable.tsx';

const CodesDrawer = lazy(() => import('./CodesDrawer.tsx'));
const CreateDialog = lazy(() => import('./CreateDialog.tsx'));
const NewCodesDialog = lazy(() => import('./NewCodesDialog.tsx'));
const RevokeDialog = lazy(() => import('./RevokeDialog.tsx'));

export const page = createLazyRoute('/shell/redemption-codes')({ component: RedemptionCodes });

function RedemptionCodes() {
  const { t } = useTranslation('redemption-codes');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const list = useInfiniteQuery(batchesQuery());
  const batches = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const [made, setMade] = useState<MadeBatch | null>(null);
  const [seen, see] = useState<Batch | null>(null);
  const [doomed, doom] = useState<Batch | null>(null);
  const setCreating = (create: true | undefined) =>
    void navigate({ search: (before) => changed(before, { create }), replace: true, resetScroll: false });
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );

  return (
    <Page title={t('title')} about={t('about')} actions={create}>
      <Panel>
        {list.isPending && <LoadingRows />}
        {list.isError && batches.length === 0 && (
          <Failed error={list.error} onRetry={() => void list.refetch()} />
        )}
        {list.isSuccess && batches.length === 0 && (
          <Nothing icon={IconTicket} title={t('none.title')} about={t('none.about')} action={create} />
        )}
        {batches.length > 0 && <BatchTable batches={batches} onSee={see} onRevoke={doom} />}
        <MoreButton list={list} />
      </Panel>
      <OnceOpened isOpen={seen !== null}>
        <CodesDrawer batch={seen} onClose={() => see(null)} />
      </OnceOpened>
      <Suspense>
        {search.create === true && (
          <CreateDialog
            onClose={() => setCreating(undefined)}
            onMade={(batch) => {
              setCreating(undefined);
              setMade(batch);
            }}
          />
        )}
        {made && <NewCodesDialog made={made} onClose={() => setMade(null)} />}
        {doomed && <RevokeDialog batch={doomed} onClose={() => doom(null)} />}
      </Suspense>
    </Page>
  );
}
