import { Group, TextInput } from '@mantine/core';
import { IconHash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from '../../api/keys.ts';
import { pricesQuery } from '../../api/pricing.ts';
import { Choice } from '../../shared/Choice.tsx';
import { DaysField } from '../../shared/DaysField.tsx';
import type { UsageSearch } from './filters.ts';

// Most who look see their own account alone.
const AccountField = lazy(() =>
  import('../accounts/AccountField.tsx').then(({ AccountField: field }) => ({ default: field })),
);

interface FilterBarProps {
  readonly search: UsageSearch;
  /** The log of every account may be looked at. */
  readonly seesAll: boolean;
  readonly keys: readonly ApiKey[];
  readonly onChange: (change: { [name in keyof UsageSearch]?: string | undefined }) => void;
}

/** Which part of the log is shown. All of it stands in the address. */
export function FilterBar({ search, seesAll, keys, onChange }: FilterBarProps) {
  const { t } = useTranslation('usage');
  const setRequest = (typed: string) => {
    const request = typed.trim();
    if (request !== (search.request ?? '')) onChange({ request });
  };
  const models = useQuery(pricesQuery).data?.data.map(({ model_name }) => model_name) ?? [];

  return (
    <Group gap="sm" align="flex-end">
      {seesAll && (
        <Suspense>
          <AccountField
            value={search.account}
            placeholder={t('ownAccount')}
            onChange={(account) => onChange({ account, key: undefined })}
          />
        </Suspense>
      )}
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
      <TextInput
        key={search.request}
        flex="1 1 10rem"
        maw={{ sm: 230 }}
        label={t('requestIdField')}
        placeholder={t('requestIdSuch')}
        leftSection={<IconHash size={16} />}
        defaultValue={search.request ?? ''}
        onKeyDown={({ key, currentTarget: { value } }) => {
          if (key === 'Enter') setRequest(value);
        }}
        onBlur={({ currentTarget: { value } }) => setRequest(value)}
      />
    </Group>
  );
}
