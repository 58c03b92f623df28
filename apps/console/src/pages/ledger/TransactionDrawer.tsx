import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowBackUp, IconEraser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ShownTransaction, transactionQuery } from '../../api/ledger.ts';
import { Moment } from '../../shared/Moment.tsx';
import { Copy } from '../../shared/Copy.tsx';
import { Figure, Figures } from '../../shared/Figures.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useAllowed } from '../../shared/use-allowed.ts';
import { useFormat } from '../../shared/use-format.ts';
import { Entries } from './Entries.tsx';
import { KIND_TONES } from './kind-tones.ts';
import classes from './Ledger.module.css';

const UndoDialog = lazy(() => import('./UndoDialog.tsx'));

interface TransactionDrawerProps {
  readonly number: number | null;
  readonly onChoose: (number: number) => void;
  readonly onClose: () => void;
}

/** One transaction: both sides of it, who entered it, and what took it back. */
export default function TransactionDrawer({ number, onChoose, onClose }: TransactionDrawerProps) {
  const { t } = useTranslation('finance');
  return (
    <SideDrawer
      of={number}
      size={540}
      onClose={onClose}
      title={(shown) => t('transaction', { number: shown })}
    >
      {(shown) => <Loaded number={shown} onChoose={onChoose} />}
    </SideDrawer>
  );
}

function Loaded({
  number,
  onChoose,
}: {
  readonly number: number;
  readonly onChoose: (number: number) => void;
}) {
  const { data, error, refetch } = useQuery(transactionQuery(number));
  if (data) return <InFull transaction={data} onChoose={onChoose} />;
  return error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows rows={5} />;
}

interface InFullProps {
  readonly transaction: ShownTransaction;
  readonly onChoose: (number: number) => void;
}

function InFull({ transaction, onChoose }: InFullProps) {
  const { t } = useTranslation('finance');
  const format = useFormat();
  const [isUndoing, setUndoing] = useState(false);
  const isUsage = transaction.kind === 'usage';
  const open = (number: number) => (
    <Button key={number} size="compact-sm" variant="light" onClick={() => onChoose(number)}>
      {number}
    </Button>
  );
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Text className={classes.sum}>{format.exactMoney(transaction.amount_usd)}</Text>
          <Mark tone={KIND_TONES[transaction.kind]}>{t(`kinds.${transaction.kind}`)}</Mark>
        </div>
        <Button
          variant="default"
          leftSection={isUsage ? <IconArrowBackUp size={16} /> : <IconEraser size={16} />}
          onClick={() => setUndoing(true)}
        >
          {t(isUsage ? 'undo.refund.name' : 'undo.correction.name')}
        </Button>
      </Group>
      {transaction.reason !== null && <Text size="sm">{transaction.reason}</Text>}
      <section>
        <Title order={2} mb="xs">
          {t('entries.title')}
        </Title>
        <Entries entries={transaction.entries ?? []} />
      </section>
      <section>
        <Title order={2} mb="xs">
          {t('facts.title')}
        </Title>
        <Figures>
          <Figure name={t('account')}>
            <Link to="/accounts/$id" params={{ id: transaction.account_id }} className={classes.number}>
              {t('facts.openAccount')}
            </Link>
          </Figure>
          {transaction.request_id !== null && (
            <Figure name={t('facts.request')}>
              <Group gap={2} wrap="nowrap" justify="flex-end">
                <RequestId id={transaction.request_id} />
                <Copy text={transaction.request_id} what={t('facts.requestId')} />
              </Group>
            </Figure>
          )}
          {transaction.first_number < transaction.number && (
            <Figure name={t('facts.requests')}>
              {format.count(transaction.number - transaction.first_number + 1)}
            </Figure>
          )}
          <Figure name={t('facts.occurred')}>
            <Moment at={transaction.occurred_at} />
          </Figure>
          <Figure name={t('facts.booked')}>
            <Moment at={transaction.booked_at} />
          </Figure>
          <Figure name={t('facts.actor')}>{transaction.actor ?? t('facts.relay')}</Figure>
          {transaction.idempotency_key && (
            <Figure name={t('facts.idempotencyKey')}>
              <span className="tg-mono">{transaction.idempotency_key}</span>
            </Figure>
          )}
          {transaction.corrects !== null && (
            <Figure name={t('facts.corrects')}>{open(transaction.corrects)}</Figure>
          )}
          {transaction.corrected_by.length > 0 && (
            <Figure name={t('facts.correctedBy')}>
              <Group gap={4} justify="flex-end">
                {transaction.corrected_by.map(open)}
              </Group>
            </Figure>
          )}
        </Figures>
      </section>
      {isUndoing && (
        <Suspense>
          <UndoDialog
            transaction={transaction}
            onClose={() => setUndoing(false)}
            onDone={(number) => onChoose(number)}
          />
        </Suspense>
      )}
    </Stack>
  );
}

/** The way to what was asked and answered, for those who may see it. */
function RequestId({ id }: { readonly id: string }) {
  const seesRequests = useAllowed('requests:read-all');
  if (!seesRequests) return <span className="tg-mono">{id}</span>;
  return (
    <Link to="/usage" search={{ account: 'all', request: id }} className={`tg-mono ${classes.number}`}>
      {id}
    </Link>
  );
}
