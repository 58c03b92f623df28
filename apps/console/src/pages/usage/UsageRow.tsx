import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { UNIT_KINDS } from '@tollgate/vocabulary';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RequestEntry } from '../../api/requests.ts';
import { Mark } from '../../shared/Mark.tsx';
import { ModelName } from '../../shared/ModelName.tsx';
import { Moment } from '../../shared/Moment.tsx';
import { padPlaces } from '../../shared/places.ts';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { findTone, tokensIn, tokensOut } from './entry.ts';
import type { ColumnId, ListColumn } from './list-columns.ts';
import { useCodeName } from './use-code-name.ts';
import classes from './Usage.module.css';

interface RowProps {
  readonly entry: RequestEntry;
  readonly columns: readonly ListColumn[];
  /** The most that a charge of the list has. */
  readonly places: number;
  readonly showsAccount: boolean;
  readonly onChoose: () => void;
}

/** A request in the columns that are shown. */
export function UsageRow({ entry, columns, places, showsAccount, onChoose }: RowProps) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const codeName = useCodeName();
  const { charge, serving } = entry;
  const cells: Record<ColumnId, () => ReactNode> = {
    time: () => (
      <UnstyledButton className={classes.open} onClick={onChoose}>
        <Moment at={entry.occurred_at} as="short" />
        <VisuallyHidden>{t('open')}</VisuallyHidden>
      </UnstyledButton>
    ),
    model: () => <Model entry={entry} />,
    key: () => (
      <>
        {entry.key_name ?? t('goneKey')}
        {showsAccount && entry.account_name !== null && <small>{entry.account_name}</small>}
      </>
    ),
    input: () => charge && format.count(tokensIn(charge)),
    output: () => charge && format.count(tokensOut(charge)),
    latency: () => (
      <>
        {t('ms', { ms: format.count(entry.latency_ms) })}
        {entry.first_byte_ms !== null && (
          <small>{t('firstByteIn', { ms: format.count(entry.first_byte_ms) })}</small>
        )}
      </>
    ),
    outcome: () => (
      <Mark tone={findTone(entry)}>
        {entry.outcome === 'failed'
          ? `${entry.http_status} ${codeName(entry.error_code ?? '')}`
          : t(`outcomes.${entry.outcome}`)}
      </Mark>
    ),
    id: () => <span className="tg-mono">{entry.request_id}</span>,
    upstream: () => serving?.upstream ?? t('none.value'),
    margin: () => (serving?.margin_usd ? format.exactMoney(serving.margin_usd) : t('none.value')),
    cost: () => (charge === null ? t('none.value') : format.exactMoney(charge.cost_usd)),
  };
  const cost = charge === null ? t('none.value') : format.exactMoney(charge.cost_usd);
  return columns.map(({ id, isWideOnly }) => (
    <span
      key={id}
      role="cell"
      data-column={id}
      data-wide={isWideOnly}
      {...(id === 'cost' && { className: 'tg-places', 'data-places': padPlaces(cost, places) })}
    >
      {cells[id]()}
    </span>
  ));
}

/** With what else is to be said of how it was served. */
function Model({ entry: { model, charge, serving } }: { readonly entry: RequestEntry }) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const kindName = useMeterKindName();
  const tierName = useServiceTierName();
  const beside = [
    ...(charge === null || charge.service_tier === 'standard' ? [] : [tierName(charge.service_tier)]),
    ...UNIT_KINDS.flatMap((kind) => {
      const units = charge?.units[kind];
      return units === undefined ? [] : [`${kindName(kind)} ${format.count(units)}`];
    }),
    ...(serving?.upstream ? [serving.upstream] : []),
  ].join(', ');
  return (
    <>
      {model === null ? t('none.value') : <ModelName name={model} />}
      {beside !== '' && <small>{beside}</small>}
    </>
  );
}
