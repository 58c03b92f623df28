import { IconFileInvoice } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { statementsQuery } from '../../api/statements.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { MonthTable } from './MonthTable.tsx';
import { StatementView } from './StatementView.tsx';

export const page = createLazyRoute('/shell/statements')({ component: Statements });

/** The months of the account, or one of them. */
function Statements() {
  const { month } = page.useSearch();
  return month === undefined ? <Months /> : <StatementView month={month} />;
}

function Months() {
  const { t } = useTranslation('statements');
  const { data, error, refetch } = useQuery(statementsQuery);
  return (
    <Page title={t('title')} about={t('about')}>
      <Panel>
        {!data && error && <Failed error={error} onRetry={() => void refetch()} />}
        {!data && !error && <LoadingRows />}
        {data?.items.length === 0 && (
          <Nothing icon={IconFileInvoice} title={t('none.title')} about={t('none.about')} />
        )}
        {data && data.items.length > 0 && <MonthTable months={data.items} />}
      </Panel>
    </Page>
  );
}
