import { Button, Group, Text } from '@mantine/core';
import { IconCalendarRepeat, IconDownload, IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ExportJob, exportsQuery, readExports, schedulesQuery } from '../../api/exports.ts';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Pages } from '../../shared/Pages.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { ExportTable } from './ExportTable.tsx';
import { Schedules } from './Schedules.tsx';
import { EXPORTS_PER_PAGE, type ExportsSearch, toFilter, toPage } from './search.ts';
import { useLookup } from '../../shared/use-lookup.ts';

const ManifestDrawer = lazy(() => import('./ManifestDrawer.tsx'));
const CreateDialog = lazy(() => import('./CreateDialog.tsx'));
const ScheduleDialog = lazy(() => import('./ScheduleDialog.tsx'));

export const page = createLazyRoute('/shell/exports')({ component: Exports });

function Exports() {
  const { t } = useTranslation('exports');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const { data, error, refetch } = useQuery(exportsQuery(toPage(search)));
  const schedule = useLookup(schedulesQuery).data?.items.find(({ id }) => id === search.schedule);
  const [chosen, choose] = useState<ExportJob | null>(null);
  const setSearch = (change: { [name in keyof ExportsSearch]?: ExportsSearch[name] | undefined }) =>
    void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false });
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setSearch({ create: 'export' })}>
      {t('create')}
    </Button>
  );
  const pages = Math.ceil((data?.total ?? 0) / EXPORTS_PER_PAGE);

  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconCalendarRepeat size={16} />}
            onClick={() => setSearch({ create: 'schedule' })}
          >
            {t('schedules.create')}
          </Button>
          {create}
        </Group>
      }
    >
      {search.schedule !== undefined && (
        <Group gap="xs">
          <Text size="sm">{t('onlyOf', { name: schedule?.name ?? search.schedule })}</Text>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconX size={14} />}
            onClick={() => setSearch({ schedule: undefined, page: undefined })}
          >
            {t('showAll')}
          </Button>
        </Group>
      )}
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.total === 0 && (
          <Nothing icon={IconDownload} title={t('none.title')} about={t('none.about')} action={create} />
        )}
        {data && data.items.length > 0 && (
          <ExportTable jobs={data.items} readAll={() => readExports(toFilter(search))} onManifest={choose} />
        )}
      </Panel>
      {data && pages > 0 && (
        <Pages
          total={t('total', { count: data.total })}
          pages={pages}
          page={search.page ?? 1}
          onChange={(number) => setSearch({ page: number === 1 ? undefined : number })}
        />
      )}
      <Schedules onHistory={(id) => setSearch({ schedule: id, page: undefined })} />
      <OnceOpened isOpen={chosen !== null}>
        <ManifestDrawer job={chosen} onClose={() => choose(null)} />
      </OnceOpened>
      <Suspense>
        {search.create === 'export' && <CreateDialog onClose={() => setSearch({ create: undefined })} />}
        {search.create === 'schedule' && <ScheduleDialog onClose={() => setSearch({ create: undefined })} />}
      </Suspense>
    </Page>
  );
}
