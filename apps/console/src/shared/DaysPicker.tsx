import '@mantine/dates/styles.layer.css';
import { DatePickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Days } from './days.ts';
import { lastDays, monthDays } from './spans.ts';
import { useCalendar } from './use-calendar.ts';
import { useZone } from './use-zone.ts';

export interface DaysPickerProps {
  readonly days: Days;
  readonly onChange: (days: { from: string | undefined; to: string | undefined }) => void;
  readonly label?: string;
  readonly isRequired?: boolean;
  readonly error?: string | null;
}

type Range = [string | null, string | null];

/** A stretch of days, with those that people choose most at hand. On a page it is a `DaysField`. */
export function DaysPicker({ label, days, onChange, isRequired = false, error = null }: DaysPickerProps) {
  const { t } = useTranslation(['days', 'common']);
  const calendar = useCalendar();
  const zone = useZone();
  const [half, setHalf] = useState<Range | null>(null);
  const choose = ([from, to]: Range) => {
    const isHalf = from !== null && to === null;
    setHalf(isHalf ? [from, to] : null);
    if (!isHalf) onChange({ from: from ?? undefined, to: to ?? undefined });
  };
  return (
    <DatePickerInput
      {...calendar}
      type="range"
      label={label ?? t('common:days.label')}
      placeholder={t('common:days.always')}
      leftSection={<IconCalendar size={16} />}
      allowSingleDateInRange
      clearable={!isRequired}
      required={isRequired}
      error={error}
      value={half ?? [days.from ?? null, days.to ?? null]}
      onChange={choose}
      presets={[
        { label: t('thisMonth'), value: monthDays(0, zone) },
        { label: t('lastMonth'), value: monthDays(1, zone) },
        { label: t('today'), value: lastDays(1, zone) },
        { label: t('last', { count: 7 }), value: lastDays(7, zone) },
        { label: t('last', { count: 30 }), value: lastDays(30, zone) },
        { label: t('last', { count: 90 }), value: lastDays(90, zone) },
      ]}
    />
  );
}
