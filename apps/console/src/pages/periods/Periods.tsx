import { Button, Group } from '@mantine/core';
import { IconBuildingBank, IconLock, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ClosedPeriod, periodsQuery, verifyPeriods } from '../../api/periods.ts';
import { notify } from '../../shared/notify.ts';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing, useErrorText } from '../../shared/States.tsx';
import { AccountField } from '../accounts/AccountField.tsx';
import { PeriodTable } from './PeriodTable.tsx';
import { isOver } from './search.ts';
import { Verified } from './Verified.tsx';

const PeriodDrawer = lazy(() => import('./PeriodDrawer.tsx'));
const CloseDialog = lazy(() => import('./CloseDialog.tsx'));

export const page = createLazyRoute('/shell/periods')({ component: Periods });

function Periods() {
  const { t } = useTranslation(['periods', 'finance']);
  const { session } = page.useRouteContext();
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const errorText = useErrorText();
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
  const verifying = useMutation({
    mutationFn: verifyPeriods,
    onError: (failure) =>
      notify({ color: 'red', title: t('refused', { ns: 'finance' }), message: errorText(failure) }),
  });
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
            loading={verifying.isPending}
            onClick={() => verifying.mutate({ all: true })}
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
            verifying.reset();
            void navigate({ search: (before) => changed(before, { account: next }), replace: true });
          }}
        />
        <Button
          variant="default"
          leftSection={<IconShieldCheck size={16} />}
          loading={verifying.isPending}
          onClick={() => verifying.mutate({ account_id: account })}
        >
          {t('verify')}
        </Button>
      </Group>
      {verifying.data && <Verified outcome={verifying.data} />}
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.items.length === 0 && data.open === null && (
          <Nothing icon={IconBuildingBank} title={t('none.title')} about={t('none.about')} />
        )}
        {data && (data.items.length > 0 || data.open !== null) && (
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
