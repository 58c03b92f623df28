import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountQuery, accountsQuery } from '../../api/accounts.ts';

export interface AccountPickerProps {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly label?: string;
  /** What stands there while none is chosen. */
  readonly placeholder?: string;
  readonly description?: string;
  readonly isRequired?: boolean;
}

const OFFERED = 20;

/** One of all accounts, found by name, by the e-mail address of somebody in it or by id. */
export function AccountPicker({
  value,
  onChange,
  label,
  placeholder,
  description,
  isRequired = false,
}: AccountPickerProps) {
  const { t } = useTranslation('finance');
  const [typed, setTyped] = useState('');
  const chosen = useQuery({ ...accountQuery(value ?? ''), enabled: value !== undefined }).data;
  const [find] = useDebouncedValue(typed === chosen?.name ? '' : typed.trim(), 200);
  const found =
    useInfiniteQuery(accountsQuery(find === '' ? {} : { find }, OFFERED)).data?.pages[0]?.items ?? [];
  const offered = [...found, ...(chosen ? [chosen] : [])].map(({ id, name }) => [id, name] as const);
  return (
    <Select
      label={label ?? t('account')}
      description={description}
      placeholder={placeholder ?? t('everyAccount')}
      nothingFoundMessage={t('noAccount')}
      clearable={!isRequired}
      allowDeselect={!isRequired}
      searchable
      clearButtonProps={{ 'aria-label': t('clear') }}
      // The service has searched already, and not in names alone.
      filter={({ options }) => options}
      data={[...new Map(offered)].map(([id, name]) => ({ value: id, label: name }))}
      value={value ?? null}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}
