import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { pricesAtQuery } from '../../api/pricing.ts';
import type { UsageEntry } from '../../api/usage.ts';
import { useFormat } from '../../shared/use-format.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { describeCharge } from './charge.ts';
import classes from './Usage.module.css';

/** The bill of one request, by the prices of the version that it was admitted under. */
export function ChargeTable({ entry }: { readonly entry: UsageEntry }) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const kindName = useMeterKindName();
  const errorText = useErrorText();
  const { data: book, error } = useQuery(pricesAtQuery(entry.pricing_version));
  const model = book?.data.find(({ model_name }) => model_name === entry.model);
  if (error) return <Text size="sm">{errorText(error)}</Text>;
  if (!book) return <Skeleton height={110} radius="md" />;
  if (!model) return <Text size="sm">{t('charge.unknown', { version: entry.pricing_version })}</Text>;
  const charge = describeCharge(entry, model);

  return (
    <>
      <table className={classes.bill}>
        <thead>
          <tr>
            <th scope="col">{t('charge.what')}</th>
            <th scope="col">{t('charge.tokens')}</th>
            <th scope="col">{t('charge.price')}</th>
            <th scope="col">{t('charge.amount')}</th>
          </tr>
        </thead>
        <tbody>
          {charge.lines.map(({ kind, tokens, price, amount }) => (
            <tr key={kind}>
              <th scope="row">{kind === 'request' ? t('requestItself') : kindName(kind)}</th>
              <td>{tokens === null ? '' : format.count(tokens)}</td>
              <td>{format.exactMoney(price)}</td>
              <td>{format.exactMoney(amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {t('charge.listed')}
            </th>
            <td>{format.exactMoney(charge.listed)}</td>
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
              {t('charge.charged')}
            </th>
            <td>{format.exactMoney(entry.cost_usd)}</td>
          </tr>
        </tfoot>
      </table>
      <Text size="xs" c="dimmed" mt="xs">
        {t(charge.isTiered ? 'charge.tiered' : 'charge.how', { version: entry.pricing_version })}
      </Text>
    </>
  );
}
