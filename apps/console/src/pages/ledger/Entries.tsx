import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Transaction } from '../../api/ledger.ts';
import { findPlaces, pointAt } from '../../shared/places.ts';
import { useFormat } from '../../shared/use-format.ts';
import { toSides, computeTurnover } from './entries.ts';
import classes from './Ledger.module.css';

/** Both sides of a transaction, which add up to the same. */
export function Entries({ entries }: Pick<Transaction, 'entries'>) {
  const { t } = useTranslation('finance');
  const format = useFormat();
  const sides = toSides(entries);
  const turnover = computeTurnover(entries);
  const all = [turnover, ...sides.flatMap(({ taken, given }) => [taken ?? [], given ?? []].flat())];
  const places = findPlaces(all.map(format.exactMoney));
  const money = (amount: string | null) => {
    if (amount === null) return null;
    const shown = format.exactMoney(amount);
    return <span {...pointAt(shown, places)}>{shown}</span>;
  };
  if (entries.length === 0) return <Text size="sm">{t('entries.none')}</Text>;
  return (
    <table className={classes.entries}>
      <thead>
        <tr>
          <th scope="col">{t('entries.account')}</th>
          <th scope="col">{t('entries.taken')}</th>
          <th scope="col">{t('entries.given')}</th>
        </tr>
      </thead>
      <tbody>
        {sides.map(({ account, taken, given }) => (
          <tr key={account}>
            <th scope="row" className="tg-mono">
              {account}
            </th>
            <td>{money(taken)}</td>
            <td>{money(given)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('entries.sum')}</th>
          <td>{money(turnover)}</td>
          <td>{money(turnover)}</td>
        </tr>
      </tfoot>
    </table>
  );
}
