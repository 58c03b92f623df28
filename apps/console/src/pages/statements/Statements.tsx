import { Group, Switch } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { statementsQuery } from '../../api/statements.ts';
import { loadWords } from '../../i18n/i18n.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { changed } from '../../shared/search-params.ts';
import { useAllowed } from '../../shared/use-allowed.ts';
import { MonthTable } from './MonthTable.tsx';
import { ALL_ACCOUNTS } from './search.ts';
import { StatementView } from './StatementView.tsx';

const AllMonths = lazy(async () => {
  const [{ AllMonths: table }] = await Promise.all([import('./AllMonths.tsx'), loadWords('periods')]);
  return { default: table };
});

// Most who look see their own account alone.
const AccountField = lazy(async () => {
  const [{ AccountField: field }] = await Promise.all([
    import('../accounts/AccountField.tsx'),
    loadWords('finance'),
  ]);
  return { default: field };
});

export const page = createLazyRoute('/shell/statements')({ component: Statements });

/** The months of the account, or one of them. */
function Statements() {
  const { month, account } = page.useSearch();
  return account === ALL_ACCOUNTS ? (
    <OfAll />
  ) : month === undefined ? (
    <Months account={account} />
  ) : (
    <StatementView month={month} account={account} />
  );
}

function OfAll() {
  const { t } = useTranslation('statements');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  return (
    <Page title={t('title')} about={t('aboutAll')}>
      <AllSwitch isAll onChange={() => void navigate({ search: {}, replace: true })} />
      <Suspense fallback={<LoadingRows />}>
        <AllMonths
          search={search}
          onChange={(change) =>
            void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false })
          }
        />
      </Suspense>
    </Page>
  );
}

interface AllSwitchProps {
  readonly isAll: boolean;
  readonly onChange: () => void;
}

function AllSwitch({ isAll, onChange }: AllSwitchProps) {
  const { t } = useTranslation('statements');
  return <Switch label={t('allAccounts')} checked={isAll} onChange={onChange} mb={8} />;
}

function Months({ account }: { readonly account: string | undefined }) {
  const { t } = useTranslation('statements');
  const navigate = page.useNavigate();
  const seesAll = useAllowed('ledger:read-all');
  const { data, error, refetch } = useQuery(statementsQuery(account));
  return (
    <Page title={t('title')} about={t('about')}>
      <Suspense>
        {seesAll && (
          <Group gap="sm" align="flex-end">
            <AllSwitch
              isAll={false}
              onChange={() => void navigate({ search: { account: ALL_ACCOUNTS }, replace: true })}
            />
            <AccountField
              value={account}
              placeholder={t('ownAccount')}
              onChange={(next) =>
                void navigate({ search: (before) => changed(before, { account: next }), replace: true })
              }
            />
          </Group>
        )}
      </Suspense>
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.items.length === 0 && (
          <Nothing icon={IconFileInvoice} title={t('none.title')} about={t('none.about')} />
        )}
        {data && data.items.length > 0 && <MonthTable months={data.items} account={account} />}
      </Panel>
    </Page>
  );
}
