import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { DatePickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lastDays } from '../../shared/days.ts';
import type { PeriodFieldProps } from './PeriodField.tsx';

type Days = [string | null, string | null];

export function PeriodPicker({ from, to, onChange }: PeriodFieldProps) {
  const { t, i18n } = useTranslation('usage');
  const [half, setHalf] = useState<Days | null>(null);
  const choose = ([first, last]: Days) => {
    const isHalf = first !== null && last === null;
    setHalf(isHalf ? [first, last] : null);
    if (!isHalf) onChange(first, last);
  };
  const preset = (label: string, count: number) => ({ label, value: lastDays(count) });
  return (
    <DatePickerInput
      type="range"
      label={t('period')}
      placeholder={t('always')}
      leftSection={<IconCalendar size={16} />}
      locale={i18n.language === 'zh-CN' ? 'zh-cn' : 'en'}
      valueFormat={i18n.language === 'zh-CN' ? 'YYYY年M月D日' : 'MMM D, YYYY'}
      allowSingleDateInRange
      clearable
      clearButtonProps={{ 'aria-label': t('clear') }}
      ariaLabels={{ nextMonth: t('nextMonth'), previousMonth: t('previousMonth') }}
      value={half ?? [from, to]}
      onChange={choose}
      presets={[
        preset(t('today'), 1),
        preset(t('days', { count: 7 }), 7),
        preset(t('days', { count: 30 }), 30),
        preset(t('days', { count: 90 }), 90),
      ]}
    />
  );
}
