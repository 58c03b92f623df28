import { Center, Loader, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { useMediaQuery } from '@mantine/hooks';
import { UNIT_KINDS } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import type { RequestEntry } from '../../api/requests.ts';
import { countPlaces, padPlaces } from '../../shared/places.ts';
import { ModelName } from '../../shared/ModelName.tsx';
import { Moment } from '../../shared/Moment.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { tokensIn, tokensOut, findTone } from './entry.ts';
import { useCodeName } from './use-code-name.ts';
import classes from './Usage.module.css';

interface UsageListProps {
  readonly entries: readonly RequestEntry[];
  /** Of whom each is, where it is the log of all. */
  readonly showsAccount: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
  readonly onChoose: (entry: RequestEntry) => void;
}

/** Rows that are this close to the end call for the next page. */
const AHEAD = 15;
const HEIGHT = { wide: 45, narrow: 72 };
const COLUMNS = ['time', 'model', 'key', 'input', 'output', 'latency', 'outcome', 'cost'] as const;

/** The log as a table that holds only the rows in view. */
export default function UsageList({
  entries,
  showsAccount,
  hasMore,
  isLoadingMore,
  onMore,
  onChoose,
}: UsageListProps) {
  const { t } = useTranslation('usage');
  const place = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery('(max-width: 47.99em)') ?? false;
  const height = isNarrow ? HEIGHT.narrow : HEIGHT.wide;
  const virtual = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: place.current?.offsetTop ?? 0,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const places = usePlaces(entries);
  const rows = virtual.getVirtualItems();
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= entries.length - AHEAD;
  useEffect(() => {
    if (isNearEnd && hasMore && !isLoadingMore) onMore();
  }, [isNearEnd, hasMore, isLoadingMore, onMore]);

  return (
    <div role="table" aria-label={t('title')} aria-rowcount={hasMore ? -1 : entries.length + 1}>
      <div role="rowgroup">
        <div role="row" className={classes.head} aria-rowindex={1}>
          {COLUMNS.map((column) => (
            <span key={column} role="columnheader" data-column={column}>
              {t(`columns.${column}`)}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={place} className={classes.body} style={{ height: virtual.getTotalSize() }}>
        {rows.map(({ index, start }) => {
          const entry = entries[index];
          return entry ? (
            <div
              key={entry.request_id}
              role="row"
              aria-rowindex={index + 2}
              className={classes.row}
              style={{ height, transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <Row
                entry={entry}
                places={places}
                showsAccount={showsAccount}
                onChoose={() => onChoose(entry)}
              />
            </div>
          ) : null;
        })}
      </div>
      {isLoadingMore && (
        <Center p="md">
          <Loader size="sm" />
        </Center>
      )}
    </div>
  );
}

/** The most places that a charge of the list has. */
function usePlaces(entries: readonly RequestEntry[]): number {
  const format = useFormat();
  return useMemo(() => {
    const shown = entries.map(({ charge }) => (charge ? format.exactMoney(charge.cost_usd) : ''));
    return Math.max(0, ...shown.map(countPlaces));
  }, [entries, format]);
}

interface RowProps {
  readonly entry: RequestEntry;
  /** The most that a charge of the list has. */
  readonly places: number;
  readonly showsAccount: boolean;
  readonly onChoose: () => void;
}

function Row({ entry, places, showsAccount, onChoose }: RowProps) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const kindName = useMeterKindName();
  const tierName = useServiceTierName();
  const codeName = useCodeName();
  const { charge, serving } = entry;
  const cost = charge === null ? t('none.value') : format.exactMoney(charge.cost_usd);
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
      <span role="cell" data-column="time">
        <UnstyledButton className={classes.open} onClick={onChoose}>
          <Moment at={entry.occurred_at} as="short" />
          <VisuallyHidden>{t('open')}</VisuallyHidden>
        </UnstyledButton>
      </span>
      <span role="cell" data-column="model">
        {entry.model === null ? t('none.value') : <ModelName name={entry.model} />}
        {beside !== '' && <small>{beside}</small>}
      </span>
      <span role="cell" data-column="key">
        {entry.key_name ?? t('goneKey')}
        {showsAccount && entry.account_name !== null && <small>{entry.account_name}</small>}
      </span>
      <span role="cell" data-column="input">
        {charge && format.count(tokensIn(charge))}
      </span>
      <span role="cell" data-column="output">
        {charge && format.count(tokensOut(charge))}
      </span>
      <span role="cell" data-column="latency">
        {t('ms', { ms: format.count(entry.latency_ms) })}
        {entry.first_byte_ms !== null && (
          <small>{t('firstByteIn', { ms: format.count(entry.first_byte_ms) })}</small>
        )}
      </span>
      <span role="cell" data-column="outcome">
        <Mark tone={findTone(entry)}>
          {entry.outcome === 'failed'
            ? `${entry.http_status} ${codeName(entry.error_code ?? '')}`
            : t(`outcomes.${entry.outcome}`)}
        </Mark>
      </span>
      <span role="cell" data-column="cost" className="tg-places" data-places={padPlaces(cost, places)}>
        {cost}
      </span>
    </>
  );
}
