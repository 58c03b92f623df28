import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type PriceBook, pricesAtQuery } from '../../api/pricing.ts';
import type { UsageEntry } from '../../api/usage.ts';
import { findPlaces, pointAt } from '../../shared/places.ts';
import { useFormat } from '../../shared/use-format.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { usePriceText } from '../../shared/use-price-text.ts';
import { useServiceTierName } from '../../shared/use-service-tier-name.ts';
import { describeCharge, type UsageLine } from './charge.ts';
import classes from './Usage.module.css';

type Described = NonNullable<ReturnType<typeof describeCharge>>;

/** The bill of one request, line by line, by the prices of the version that it was admitted under. */
export function ChargeTable({ entry }: { readonly entry: UsageEntry }) {
  const { t } = useTranslation('usage');
  const errorText = useErrorText();
  const { data: book, error } = useQuery(pricesAtQuery(entry.pricing_version));
  if (error) return <Text size="sm">{errorText(error)}</Text>;
  if (!book) return <Skeleton height={110} radius="md" />;
  const isOne = entry.lines.length === 1;

  return (
    <Stack gap="lg">
      {entry.lines.map((line, index) => (
        <LineBill key={index} entry={entry} line={line} book={book} isOne={isOne} />
      ))}
      {!isOne && <Sum entry={entry} />}
      <Text size="xs" c="dimmed">
        {t('charge.how', { version: entry.pricing_version })}
        {!isOne && ` ${t('charge.lines')}`}
      </Text>
    </Stack>
  );
}

interface LineProps {
  readonly entry: UsageEntry;
  readonly line: UsageLine;
  /** It is all of the request. */
  readonly isOne: boolean;
}

function LineBill({ entry, line, isOne, book }: LineProps & { readonly book: PriceBook }) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const model = book.data.find(({ model_name }) => model_name === line.model);
  const charge = model && describeCharge(entry, line, model);
  if (!charge)
    return (
      <Text size="sm">
        {!isOne && `${line.model}: ${format.exactMoney(line.cost_usd)}. `}
        {t('charge.unknown', { version: entry.pricing_version })}
      </Text>
    );
  const amounts = [...charge.tokens, ...charge.others].map(({ amount }) => amount);
  const places = findPlaces([...amounts, charge.listed, line.cost_usd].map(format.exactMoney));
  return (
    <div>
      <table className={classes.bill}>
        {!isOne && <caption className="tg-mono">{line.model}</caption>}
        <thead>
          <tr>
            <th scope="col">{t('charge.what')}</th>
            <th scope="col">{t('charge.quantity')}</th>
            <th scope="col">{t('charge.price')}</th>
            <th scope="col">{t('charge.amount')}</th>
          </tr>
        </thead>
        <tbody>
          <Rows rows={charge.tokens} places={places} />
          {charge.tokenRatios.map((ratio) => (
            <TokenRatioRow key={ratio.of} {...ratio} />
          ))}
          <Rows rows={charge.others} places={places} />
        </tbody>
        <Foot entry={entry} line={line} isOne={isOne} charge={charge} places={places} />
      </table>
      {charge.isTiered && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('charge.tiered')}
        </Text>
      )}
      {charge.computed !== null && (
        <Text size="xs" c="var(--tg-warn)" mt="xs">
          {t('charge.differs', { amount: format.exactMoney(charge.computed) })}
        </Text>
      )}
    </div>
  );
}

function Rows({ rows, places }: { readonly rows: Described['tokens']; readonly places: number }) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const kindName = useMeterKindName();
  const priceText = usePriceText();
  return rows.map(({ kind, quantity, price, amount, isCounted }) => (
    <tr key={kind}>
      <th scope="row">
        {kind === 'request' ? t('requestItself') : kindName(kind)}
        {isCounted && <small title={t('charge.countedMeans')}>{t('charge.counted')}</small>}
      </th>
      <td>{quantity === null ? '' : format.count(quantity)}</td>
      <td>{priceText(kind, price)}</td>
      <td>
        <Amount usd={amount} places={places} />
      </td>
    </tr>
  ));
}

function TokenRatioRow({ of, name, ratio }: Described['tokenRatios'][number]) {
  const { t } = useTranslation('usage');
  const tierName = useServiceTierName();
  return (
    <tr>
      <th scope="row" colSpan={3}>
        {of === 'region'
          ? t('charge.region', { region: name })
          : t('charge.serviceTier', { tier: tierName(name as UsageLine['service_tier']) })}
      </th>
      <td>{t('charge.times', { ratio })}</td>
    </tr>
  );
}

interface FootProps extends LineProps {
  readonly charge: Described;
  readonly places: number;
}

function Foot({ entry, line, isOne, charge, places }: FootProps) {
  const { t } = useTranslation('usage');
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={3}>
          {t('charge.listed')}
        </th>
        <td>
          <Amount usd={charge.listed} places={places} />
        </td>
      </tr>
      <tr>
        <th scope="row" colSpan={3}>
          {t('charge.group', { group: entry.group })}
        </th>
        <td>{t('charge.times', { ratio: charge.groupRatio })}</td>
      </tr>
      {charge.discountRatio !== null && (
        <tr>
          <th scope="row" colSpan={3}>
            {t('charge.discount')}
          </th>
          <td>{t('charge.times', { ratio: charge.discountRatio })}</td>
        </tr>
      )}
      <tr data-total>
        <th scope="row" colSpan={3}>
          {isOne ? t('charge.charged') : t('charge.ofModel', { model: line.model })}
        </th>
        <td>
          <Amount usd={line.cost_usd} places={places} />
        </td>
      </tr>
    </tfoot>
  );
}

interface AmountProps {
  readonly usd: string;
  readonly places: number;
}

function Amount({ usd, places }: AmountProps) {
  const shown = useFormat().exactMoney(usd);
  return <span {...pointAt(shown, places)}>{shown}</span>;
}

/** What the lines add up to. */
function Sum({ entry }: { readonly entry: UsageEntry }) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const places = findPlaces([...entry.lines, entry].map(({ cost_usd }) => format.exactMoney(cost_usd)));
  return (
    <table className={classes.bill}>
      <tbody>
        {entry.lines.map((line, index) => (
          <tr key={index}>
            <th scope="row" className="tg-mono">
              {line.model}
            </th>
            <td>
              <Amount usd={line.cost_usd} places={places} />
            </td>
          </tr>
        ))}
        <tr data-total>
          <th scope="row">{t('charge.charged')}</th>
          <td>
            <Amount usd={entry.cost_usd} places={places} />
          </td>
        </tr>
      </tbody>
    </table>
  );
}
