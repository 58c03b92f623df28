import { Button, Group, Text } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Statement, statementAddress, statementQuery } from '../../api/statements.ts';
import { loadWords } from '../../i18n/i18n.ts';
import { Back } from '../../shared/Back.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { saveText } from '../../shared/save-text.ts';
import { useAllowed } from '../../shared/use-allowed.ts';
import { useFormat } from '../../shared/use-format.ts';
import { computeSum } from './sum.ts';
import { toStatementCsv } from './statement-csv.ts';
import { Chain } from './Chain.tsx';
import { KeyFigures, ModelFigures, MovementFigures } from './figures.tsx';
import { MonthMark } from './MonthMark.tsx';
import classes from './Statements.module.css';

// Who closes months is finance.
const CloseDialog = lazy(async () => {
  const [dialog] = await Promise.all([
    import('../periods/CloseDialog.tsx'),
    loadWords(['periods', 'finance']),
  ]);
  return dialog;
});

interface StatementViewProps {
  readonly month: string;
  /** Whose; one's own where it is left out. */
  readonly account: string | undefined;
}

/** One month of the account: how the balance moved, and by what. */
export function StatementView({ month, account }: StatementViewProps) {
  const { t, i18n } = useTranslation('statements');
  const format = useFormat();
  const closes = useAllowed('ledger:write');
  const [isClosing, setClosing] = useState(false);
  const { data, error, refetch } = useQuery(statementQuery(month, account));
  return (
    <Page
      title={format.month(month)}
      about={data?.account.name}
      back={
        <Back to="/statements" search={account === undefined ? {} : { account }}>
          {t('back')}
        </Back>
      }
      actions={
        data && (
          <Group gap="xs">
            {closes && data.status === 'open' && Date.parse(data.to) <= Date.now() && (
              <Button onClick={() => setClosing(true)}>{t('close')}</Button>
            )}
            <Button
              component="a"
              href={statementAddress(month, 'html', account, i18n.language)}
              target="_blank"
              rel="noreferrer"
              variant="default"
              leftSection={<IconPrinter size={16} />}
            >
              {t('print')}
            </Button>
            <Button
              component="a"
              href={statementAddress(month, 'json', account, i18n.language)}
              download={`statement-${month}.json`}
              variant="default"
              leftSection={<IconDownload size={16} />}
            >
              {t('download')}
            </Button>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              onClick={() => saveText(toStatementCsv(data), `statement-${month}.csv`)}
            >
              {t('csv')}
            </Button>
          </Group>
        )
      }
    >
      {error && !data && (
        <Panel>
          <Failed error={error} onRetry={() => void refetch()} />
        </Panel>
      )}
      {!error && !data && (
        <Panel>
          <LoadingRows />
        </Panel>
      )}
      {data && <Figures statement={data} account={account} />}
      {data && isClosing && (
        <Suspense>
          <CloseDialog account={data.account.id} month={month} onClose={() => setClosing(false)} />
        </Suspense>
      )}
    </Page>
  );
}

function Figures({
  statement,
  account,
}: {
  readonly statement: Statement;
  readonly account: string | undefined;
}) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const { month, status, time_zone, lines, movements, as_of_number } = statement;
  return (
    <>
      <Panel>
        <dl className={classes.sums}>
          <Sum name={t('columns.opening')} amount={statement.opening_balance_usd} />
          <Sum name={t('columns.credit')} amount={computeSum(movements)} />
          <Sum name={t('columns.usage')} amount={statement.usage_usd} isTaken />
          <Sum name={t('columns.closing')} amount={statement.closing_balance_usd} isResult />
        </dl>
        <Text size="xs" c="dimmed" px="md" pb="sm">
          {t('rounded', {
            usage: format.exactMoney(statement.usage_rounded_usd),
            closing: format.exactMoney(statement.closing_balance_rounded_usd),
          })}
        </Text>
        <Group gap="xs" className={classes.status}>
          <MonthMark status={status} />
          <Text size="xs" c="dimmed">
            {t('span', { zone: time_zone })}
            {as_of_number !== null && ` · ${t('asOf', { number: format.count(as_of_number) })}`}
          </Text>
        </Group>
      </Panel>
      <ModelFigures lines={lines} />
      <KeyFigures month={month} account={account} />
      <MovementFigures movements={movements} />
      <Chain month={month} account={account} />
    </>
  );
}

interface SumProps {
  readonly name: string;
  readonly amount: string;
  readonly isTaken?: boolean;
  readonly isResult?: boolean;
}

function Sum({ name, amount, isTaken = false, isResult = false }: SumProps) {
  const format = useFormat();
  return (
    <div data-result={isResult}>
      <dt>{name}</dt>
      <dd className="tg-number">
        {isTaken && '− '}
        {format.exactMoney(amount)}
      </dd>
    </div>
  );
}
