import { Group } from '@mantine/core';
import { IconHash } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { pricesQuery } from '../../api/pricing.ts';
import { Choice } from '../../shared/Choice.tsx';
import { DaysField } from '../../shared/DaysField.tsx';
import { KeyField } from '../../shared/KeyField.tsx';
import { ALL_ACCOUNTS, type UsageSearch } from './filters.ts';
import { FILTER_WIDTH, TextFilter } from './TextFilter.tsx';
import { useLookup } from '../../shared/use-lookup.ts';

// Most who look see their own account alone.
const AccountFilters = lazy(() => import('./AccountFilters.tsx'));
const OutcomeFilters = lazy(() => import('./OutcomeFilters.tsx'));
const MoreFilters = lazy(() => import('./MoreFilters.tsx'));

type Change = (change: { [name in keyof UsageSearch]?: string | undefined }) => void;

interface FilterBarProps {
  readonly search: UsageSearch;
  /** The log of every account may be looked at. */
  readonly seesAll: boolean;
  readonly ownAccount: string;
  readonly onChange: Change;
}

/** Which part of the log is shown. All of it stands in the address. */
export function FilterBar({ search, seesAll, ownAccount, onChange }: FilterBarProps) {
  const { t } = useTranslation('usage');
  const models = useLookup(pricesQuery).data?.data.map(({ model_name }) => model_name) ?? [];
  return (
    <Group gap="sm" align="flex-end">
      <Suspense>{seesAll && <AccountFilters search={search} onChange={onChange} />}</Suspense>
      <DaysField days={search} onChange={(days) => onChange({ ...days, hours: undefined })} />
      {search.hours !== undefined && (
        <Choice
          flex="0 1 9rem"
          label={t('hours')}
          clearable
          data={[{ value: search.hours, label: search.hours.replace('-', ' – ') }]}
          value={search.hours}
          onChange={(hours) => onChange({ hours: hours ?? undefined })}
        />
      )}
      <Suspense>
        <OutcomeFilters search={search} onChange={onChange} />
      </Suspense>
      <Choice
        {...FILTER_WIDTH}
        label={t('model')}
        placeholder={t('everyModel')}
        clearable
        searchable
        data={[...new Set([...models, ...(search.model === undefined ? [] : [search.model])])]}
        value={search.model ?? null}
        onChange={(model) => onChange({ model: model ?? undefined })}
      />
      <KeyField
        {...FILTER_WIDTH}
        label={t('key')}
        placeholder={t('everyKey')}
        account={search.account === ALL_ACCOUNTS ? undefined : (search.account ?? ownAccount)}
        value={search.key}
        onChange={(key) => onChange({ key })}
      />
      {seesAll && (
        <TextFilter
          label={t('upstream')}
          placeholder={t('everyUpstream')}
          value={search.upstream}
          onChange={(upstream) => onChange({ upstream })}
        />
      )}
      <TextFilter
        label={t('requestIdField')}
        placeholder={t('requestIdSuch')}
        icon={<IconHash size={16} />}
        value={search.request}
        onChange={(request) => onChange({ request })}
      />
      <Suspense>
        <MoreFilters search={search} onChange={onChange} />
      </Suspense>
    </Group>
  );
}
