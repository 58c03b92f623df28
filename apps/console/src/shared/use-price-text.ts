import { isUnitKind, type MeterKind } from '@tollgate/vocabulary';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { priceTimes } from './format.ts';
import { toUnitPrice } from './unit-scale.ts';
import { useFormat } from './use-format.ts';

/**
 * Prices with what they are for, as vendors state them: "$10.00 / 1K" of searches. They are those of the catalogue, in
 * micro-USD for a million tokens or units, or for one request.
 */
export function usePriceText(): (kind: MeterKind | 'request', micro: number, ratio?: string) => string {
  const { t } = useTranslation('meter-kinds');
  const format = useFormat();
  return useCallback(
    (kind, micro, ratio = '1') => {
      const isUnit = isUnitKind(kind);
      const price = format.exactMoney(isUnit ? toUnitPrice(kind, micro, ratio) : priceTimes(micro, ratio));
      const per = isUnit || kind === 'request' ? kind : 'token';
      return t(`per.${per}`, { price, defaultValue: price });
    },
    [t, format],
  );
}
