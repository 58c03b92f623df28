import { Button } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { usageOfRequestQuery } from '../../api/usage.ts';
import { Copy } from '../../shared/Copy.tsx';
import { useFormat } from '../../shared/use-format.ts';
import type { Exchange } from './conversation.ts';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Exchange.module.css';

/** How long an answer took, what it used and what it cost. */
export function AnswerFigures({
  exchange,
  onCode,
}: {
  readonly exchange: Exchange;
  readonly onCode: () => void;
}) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const { answer, firstTokenMs, totalMs, requestId, status, request } = exchange;
  const ms = (value: number) => t('figures.ms', { ms: format.count(Math.round(value)) });
  const isBilled = requestId !== null && (status !== 'failed' || answer.text !== '');
  return (
    <div className={classes.figures}>
      <dl aria-label={t('figures.label')}>
        {firstTokenMs !== null && <Figure name={t('figures.first')}>{ms(firstTokenMs)}</Figure>}
        {totalMs !== null && <Figure name={t('figures.total')}>{ms(totalMs)}</Figure>}
        {answer.tokens && (
          <Figure name={t('figures.tokens')}>
            {t('figures.tokensOf', {
              input: format.count(answer.tokens.input),
              output: format.count(answer.tokens.output),
            })}
          </Figure>
        )}
        {isBilled && (
          <Figure name={t('figures.charge')}>
            <Charge requestId={requestId} />
          </Figure>
        )}
      </dl>
      <div className={classes.figureActions}>
        {answer.text !== '' && <Copy text={answer.text} what={t('figures.copyAnswer')} />}
        {request && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<IconCode size={14} />}
            onClick={onCode}
          >
            {t('figures.code')}
          </Button>
        )}
      </div>
    </div>
  );
}

export const Figure = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

export function Charge({ requestId }: { readonly requestId: string }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const { data: entry, isPending } = useLookup(usageOfRequestQuery(requestId));
  if (entry) return <b data-testid="charge">{format.exactMoney(entry.cost_usd)}</b>;
  return t(isPending ? 'figures.booking' : 'figures.notBooked');
}
