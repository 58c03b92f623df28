import { Button, Group } from '@mantine/core';
import { IconBuildingBank, IconLock, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ClosedPeriod, periodsQuery } from '../../api/periods.ts';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { AccountField } from '../accounts/AccountField.tsx';
import { PeriodTable } from './PeriodTable.tsx';
import { isOver } from './search.ts';
import { useVerification } from './use-verification.ts';
import { Verified } from './Verified.tsx';

const PeriodDrawer = lazy(() => import('./PeriodDrawer.tsx'));
const CloseDialog = lazy(() => import('./CloseDialog.tsx'));

export const page = createLazyRoute('/shell/periods')({ component: Periods });

function Periods() {
  const { t } = useTranslation(['periods', 'finance']);
  const { session } = page.useRouteContext();
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const account = search.account ?? session.account_id;
  const { data, error, refetch } = useQuery(periodsQuery(account));
  const [chosen, choose] = useState<ClosedPeriod | null>(null);
  const isClosing = search.close === true;
  const setClosing = (close: boolean) =>
    void navigate({
      search: (before) => changed(before, { close: close ? true : undefined }),
      replace: !close,
      resetScroll: false,
    });
  const { verification, isRunning, verify, forget } = useVerification();
  const openMonth = data?.open && isOver(data.open) ? data.open.month : null;

  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconShieldCheck size={16} />}
            loading={isRunning}
            onClick={() => verify({ all: true, from_start: false })}
          >
            {t('verifyAll')}
          </Button>
          <Button leftSection={<IconLock size={16} />} onClick={() => setClosing(true)}>
            {t('close')}
          </Button>
        </Group>
      }
    >
      <Group gap="sm" align="flex-end">
        <AccountField
          isRequired
          value={account}
          onChange={(next) => {
            forget();
            void navigate({ search: (before) => changed(before, { account: next }), replace: true });
          }}
        />
        <Button
          variant="default"
          leftSection={<IconShieldCheck size={16} />}
          loading={isRunning}
          onClick={() => verify({ account_id: account, from_start: false })}
        >
          {t('verify')}
        </Button>
      </Group>
      {verification && (
        <Verified
          outcome={verification}
          onFromStart={() =>
            verify({
              ...(verification.account_id === null ? { all: true } : { account_id: verification.account_id }),
              from_start: true,
            })
          }
        />
      )}
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.items.length === 0 && data.sealing.length === 0 && data.open === null && (
          <Nothing icon={IconBuildingBank} title={t('none.title')} about={t('none.about')} />
        )}
        {data && (data.items.length > 0 || data.sealing.length > 0 || data.open !== null) && (
          <PeriodTable periods={data} onChoose={choose} />
        )}
      </Panel>
      <OnceOpened isOpen={chosen !== null}>
        <PeriodDrawer period={chosen} onClose={() => choose(null)} />
      </OnceOpened>
      {isClosing && (
        <Suspense>
          <CloseDialog account={account} month={openMonth} onClose={() => setClosing(false)} />
        </Suspense>
      )}
    </Page>
  );
}
