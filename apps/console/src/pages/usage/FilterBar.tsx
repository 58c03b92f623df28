import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '../../api/keys.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { Choice } from '../../shared/Choice.tsx';
import { DaysField } from '../../shared/DaysField.tsx';
import type { UsageSearch } from './filters.ts';

interface FilterBarProps {
  readonly search: UsageSearch;
  readonly keys: readonly ApiKey[];
  readonly onChange: (change: { [name in keyof UsageSearch]?: string | undefined }) => void;
}

/** Which part of the log is shown. All of it stands in the address. */
export function FilterBar({ search, keys, onChange }: FilterBarProps) {
  const { t } = useTranslation('usage');
  const models = useQuery(pricesQuery).data?.data.map(({ model_name }) => model_name) ?? [];

  return (
    <Group gap="sm" align="flex-end">
      <DaysField days={search} onChange={onChange} />
      <Choice
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
      <Choice
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
