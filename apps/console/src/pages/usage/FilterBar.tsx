import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { Group, Select } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '../../api/keys.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { lastDays } from '../../shared/days.ts';
import type { UsageSearch } from './filters.ts';

interface FilterBarProps {
  readonly search: UsageSearch;
  readonly keys: readonly ApiKey[];
  readonly onChange: (change: { [name in keyof UsageSearch]?: string | undefined }) => void;
}

type Days = [string | null, string | null];

/** Which part of the log is shown. All of it stands in the address. */
export function FilterBar({ search, keys, onChange }: FilterBarProps) {
  const { t, i18n } = useTranslation('usage');
  const models = useQuery(pricesQuery).data?.data.map(({ model_name }) => model_name) ?? [];
  const [half, setHalf] = useState<Days | null>(null);
  const days: Days = half ?? [search.from ?? null, search.to ?? null];
  const choose = ([from, to]: Days) => {
    const isHalf = from !== null && to === null;
    setHalf(isHalf ? [from, to] : null);
    if (!isHalf) onChange({ from: from ?? undefined, to: to ?? undefined });
  };
  const preset = (label: string, count: number) => ({ label, value: lastDays(count) });

  return (
    <Group gap="sm" align="flex-end">
      <DatePickerInput
        type="range"
        flex="1 1 15rem"
        maw={{ sm: 290 }}
        label={t('period')}
        placeholder={t('always')}
        leftSection={<IconCalendar size={16} />}
        locale={i18n.language === 'zh-CN' ? 'zh-cn' : 'en'}
        valueFormat={i18n.language === 'zh-CN' ? 'YYYY年M月D日' : 'MMM D, YYYY'}
        allowSingleDateInRange
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
        ariaLabels={{ nextMonth: t('nextMonth'), previousMonth: t('previousMonth') }}
        value={days}
        onChange={choose}
        presets={[
          preset(t('today'), 1),
          preset(t('days', { count: 7 }), 7),
          preset(t('days', { count: 30 }), 30),
          preset(t('days', { count: 90 }), 90),
        ]}
      />
      <Select
        flex="1 1 10rem"
        maw={{ sm: 230 }}
        label={t('model')}
        placeholder={t('everyModel')}
        clearable
        searchable
        data={[...new Set([...models, ...(search.model === undefined ? [] : [search.model])])]}
        value={search.model ?? null}
        onChange={(model) => onChange({ model: model ?? undefined })}
      />
      <Select
        flex="1 1 10rem"
        maw={{ sm: 230 }}
        label={t('key')}
        placeholder={t('everyKey')}
        clearable
        searchable
        data={keys.map(({ id, name, masked }) => ({ value: id, label: `${name} (${masked})` }))}
        value={search.key ?? null}
        onChange={(key) => onChange({ key: key ?? undefined })}
      />
    </Group>
  );
}
