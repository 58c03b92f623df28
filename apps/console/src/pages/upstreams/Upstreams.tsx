import { Button, Tabs } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { catalogueQuery, type Published } from '../../api/catalogue.ts';
import { healthQuery } from '../../api/upstreams.ts';
import { loadWords } from '../../i18n/i18n.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import type { ChangeSearch } from './search.ts';
import { UpstreamTable } from './UpstreamTable.tsx';
import { useLookup } from '../../shared/use-lookup.ts';

const PoolList = lazy(() => import('./PoolList.tsx'));
const UpstreamDialog = lazy(async () => {
  const [dialog] = await Promise.all([
    import('./UpstreamDialog.tsx'),
    loadWords(['upstream-form', 'catalogue-form', 'beside-tokens', 'meter-kinds']),
  ]);
  return dialog;
});
const PoolDialog = lazy(() => import('./PoolDialog.tsx'));
const ProviderDialog = lazy(() => import('./ProviderDialog.tsx'));
const UpstreamDrawer = lazy(() => import('./UpstreamDrawer.tsx'));

export const page = createLazyRoute('/shell/upstreams')({ component: Upstreams });

function Upstreams() {
  const { t } = useTranslation('upstreams');
  const { data, error, refetch } = useQuery(catalogueQuery);
  const navigate = page.useNavigate();
  const { tab, edit, add } = page.useSearch();
  const change: ChangeSearch = (values) =>
    void navigate({ search: (before) => changed(before, values), replace: true, resetScroll: false });
  const isPools = tab === 'pools';
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <>
          <Button
            variant={isPools ? 'filled' : 'default'}
            leftSection={<IconPlus size={16} />}
            onClick={() => change({ edit: '+' })}
          >
            {t(isPools ? 'addPool' : 'addUpstream')}
          </Button>
          {!isPools && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => change({ add: 'provider' })}>
              {t('provider.add')}
            </Button>
          )}
        </>
      }
    >
      <Tabs
        value={tab ?? 'upstreams'}
        keepMounted={false}
        onChange={(value) => change({ tab: value === 'pools' ? value : undefined, edit: undefined })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="upstreams">{t('tabs.upstreams')}</Tabs.Tab>
          <Tabs.Tab value="pools">{t('tabs.pools')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab ?? 'upstreams'}>
          <Panel>
            {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
            {!error && !data && <LoadingRows />}
            {data && (isPools ? <Pools live={data} change={change} /> : <List live={data} change={change} />)}
          </Panel>
        </Tabs.Panel>
      </Tabs>
      <Suspense>
        {data && add && <ProviderDialog live={data} onClose={() => change({ add: undefined })} />}
        {data && edit !== undefined && isPools && (
          <PoolDialog key={edit} live={data} name={edit} onClose={() => change({ edit: undefined })} />
        )}
        {data && edit !== undefined && !isPools && (
          <UpstreamDialog key={edit} live={data} name={edit} onClose={() => change({ edit: undefined })} />
        )}
      </Suspense>
    </Page>
  );
}

interface PartProps {
  readonly live: Published;
  readonly change: ChangeSearch;
}

function List({ live, change }: PartProps) {
  const { t } = useTranslation('upstreams');
  const health = useLookup(healthQuery).data;
  const { open } = page.useSearch();
  const { upstreams } = live.catalogue;
  const opened = upstreams.find(({ name }) => name === open);
  if (upstreams.length === 0)
    return <Nothing icon={IconPlugConnected} title={t('none.title')} about={t('none.about')} />;
  return (
    <>
      <UpstreamTable live={live} health={health} change={change} />
      <Suspense>
        {opened && (
          <UpstreamDrawer
            live={live}
            upstream={opened}
            targets={(health?.upstreams ?? []).filter(({ upstream }) => upstream === opened.name)}
            onClose={() => change({ open: undefined })}
          />
        )}
      </Suspense>
    </>
  );
}

function Pools({ live, change }: PartProps) {
  const { t } = useTranslation('upstreams');
  return live.catalogue.pools.length === 0 ? (
    <Nothing icon={IconPlugConnected} title={t('none.pools')} about={t('none.poolsAbout')} />
  ) : (
    <Suspense fallback={<LoadingRows />}>
      <PoolList live={live} change={change} />
    </Suspense>
  );
}
