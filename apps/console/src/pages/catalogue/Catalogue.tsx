import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { catalogueQuery, type Published } from '../../api/catalogue.ts';
import { type Draft, draftQuery } from '../../api/drafts.ts';
import { loadWords } from '../../i18n/i18n.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { DraftBar } from './DraftBar.tsx';
import { type CatalogueSearch, type ChangeSearch, type Tab, TABS } from './search.ts';

const loadEntries = () => import('./EntriesTab.tsx');
const EntriesTab = lazy(loadEntries);
const ChangesTab = lazy(async () => {
  const [tab] = await Promise.all([import('./ChangesTab.tsx'), loadWords('catalogue-versions')]);
  return tab;
});
const VersionsTab = lazy(async () => {
  const [tab] = await Promise.all([import('./VersionsTab.tsx'), loadWords('catalogue-versions')]);
  return tab;
});
const OffersTab = lazy(async () => {
  const [tab] = await Promise.all([import('./OffersTab.tsx'), loadWords('offers')]);
  return tab;
});
const FeedTab = lazy(async () => {
  const [tab] = await Promise.all([import('./FeedTab.tsx'), loadWords('price-feed')]);
  return tab;
});
const EntryEditor = lazy(async () => {
  const [editor] = await Promise.all([
    import('./EntryEditor.tsx'),
    loadWords(['catalogue-form', 'beside-tokens', 'meter-kinds', 'operations']),
  ]);
  return editor;
});

export const page = createLazyRoute('/shell/catalogue')({ component: CataloguePage });

// It comes while the catalogue is asked for.
void loadEntries();

function CataloguePage() {
  const { t } = useTranslation('catalogue');
  const { data, error, refetch } = useQuery(catalogueQuery);
  return (
    <Page title={t('title')} about={t('about')}>
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {!error && !data && (
        <Panel>
          <LoadingRows rows={8} />
        </Panel>
      )}
      {data && <Live live={data} />}
    </Page>
  );
}

function Live({ live }: { readonly live: Published }) {
  const { t } = useTranslation('catalogue');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const draft = useQuery({ ...draftQuery(search.draft ?? ''), enabled: search.draft !== undefined });
  const change: ChangeSearch = useCallback(
    (values) => navigate({ search: (before) => changed(before, values), replace: true, resetScroll: false }),
    [navigate],
  );
  const isDraft = search.draft !== undefined;
  const tab: Tab = search.tab === 'changes' && !isDraft ? 'models' : (search.tab ?? 'models');
  const parts = { live, draft: isDraft ? draft.data : undefined, search, change };

  return (
    <>
      <DraftBar {...parts} />
      {isDraft && draft.error && !draft.data && (
        <Panel>
          <Failed error={draft.error} onRetry={() => void draft.refetch()} />
        </Panel>
      )}
      <Tabs
        value={tab}
        onChange={(value) =>
          change({ tab: value === 'models' ? undefined : (value as Tab), find: undefined, edit: undefined })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {TABS.filter((each) => each !== 'changes' || isDraft).map((each) => (
            <Tabs.Tab key={each} value={each}>
              {each === 'changes'
                ? t('tabs.changes', { count: draft.data?.differences.length ?? 0 })
                : t(`tabs.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {(['models', 'groups', 'vendors'] as const).map((section) => (
          <Tabs.Panel key={section} value={section}>
            <Suspense fallback={<LoadingRows />}>
              <EntriesTab {...parts} section={section} />
            </Suspense>
          </Tabs.Panel>
        ))}
        <OtherPanels live={live} search={search} change={change} isDraft={isDraft} shownDraft={draft.data} />
      </Tabs>
      <Suspense>
        {search.edit !== undefined &&
          isDraft === (parts.draft !== undefined) &&
          (tab === 'models' || tab === 'groups' || tab === 'vendors') && (
            <EntryEditor
              key={`${tab}/${search.edit}/${search.model}`}
              {...parts}
              section={tab}
              name={search.edit}
            />
          )}
      </Suspense>
    </>
  );
}

interface OtherPanelsProps {
  readonly live: Published;
  readonly shownDraft: Draft | undefined;
  readonly isDraft: boolean;
  readonly search: CatalogueSearch;
  readonly change: ChangeSearch;
}

/** What is loaded when it is first looked at. */
const OtherPanels = ({ live, shownDraft, isDraft, search, change }: OtherPanelsProps) => (
  <>
    <Tabs.Panel value="offers">
      <Suspense fallback={<LoadingRows />}>
        <OffersTab change={change} />
      </Suspense>
    </Tabs.Panel>
    <Tabs.Panel value="feed">
      <Suspense fallback={<LoadingRows />}>
        {(!isDraft || shownDraft) && <FeedTab live={live} draft={shownDraft} change={change} />}
      </Suspense>
    </Tabs.Panel>
    <Tabs.Panel value="changes">
      <Suspense fallback={<LoadingRows />}>
        {shownDraft ? <ChangesTab draft={shownDraft} change={change} /> : <LoadingRows />}
      </Suspense>
    </Tabs.Panel>
    <Tabs.Panel value="versions">
      <Suspense fallback={<LoadingRows />}>
        <VersionsTab live={live} search={search} change={change} />
      </Suspense>
    </Tabs.Panel>
  </>
);
