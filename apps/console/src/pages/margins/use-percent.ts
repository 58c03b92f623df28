import { useTranslation } from 'react-i18next';
import { numberFormat } from '../../shared/intl.ts';

/** Says a ratio such as "0.2514" as "25.1%"; a dash where there is none. */
export function usePercent(): (ratio: string | null) => string {
  const { i18n } = useTranslation();
  const percent = numberFormat(i18n.language, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  return (ratio) => (ratio === null ? '–' : percent.format(ratio as `${number}`));
}
