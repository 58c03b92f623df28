import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { DatePickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Days, lastDays, monthDays } from './days.ts';

interface DaysPickerProps {
  readonly label?: string;
  readonly days: Days;
  readonly onChange: (days: { from: string | undefined; to: string | undefined }) => void;
  readonly isRequired?: boolean;
  readonly error?: string | null;
}

type Range = [string | null, string | null];

/** A stretch of days, with those that people choose most at hand. */
export function DaysPicker({ label, days, onChange, isRequired = false, error = null }: DaysPickerProps) {
  const { t, i18n } = useTranslation('finance');
  const isChinese = i18n.language === 'zh-CN';
  const [half, setHalf] = useState<Range | null>(null);
  const choose = ([from, to]: Range) => {
    const isHalf = from !== null && to === null;
    setHalf(isHalf ? [from, to] : null);
    if (!isHalf) onChange({ from: from ?? undefined, to: to ?? undefined });
  };
  return (
    <DatePickerInput
      type="range"
      flex="1 1 15rem"
      maw={{ sm: 310 }}
      label={label ?? t('period')}
      placeholder={t('always')}
      leftSection={<IconCalendar size={16} />}
      locale={isChinese ? 'zh-cn' : 'en'}
      valueFormat={isChinese ? 'YYYY年M月D日' : 'MMM D, YYYY'}
      allowSingleDateInRange
      clearable={!isRequired}
      required={isRequired}
      error={error}
      clearButtonProps={{ 'aria-label': t('clear') }}
      ariaLabels={{ nextMonth: t('nextMonth'), previousMonth: t('previousMonth') }}
      value={half ?? [days.from ?? null, days.to ?? null]}
      onChange={choose}
      presets={[
        { label: t('thisMonth'), value: monthDays(0) },
        { label: t('lastMonth'), value: monthDays(1) },
        { label: t('today'), value: lastDays(1) },
        { label: t('days', { count: 7 }), value: lastDays(7) },
        { label: t('days', { count: 90 }), value: lastDays(90) },
      ]}
    />
  );
}
