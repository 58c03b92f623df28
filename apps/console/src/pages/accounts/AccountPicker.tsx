import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountQuery, accountsQuery } from '../../api/accounts.ts';
import { FoundSelect } from '../../shared/FoundSelect.tsx';
import { useFailureTold, useLookup } from '../../shared/use-lookup.ts';

export interface AccountPickerProps {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly label?: string;
  /** What stands there while none is chosen. */
  readonly placeholder?: string;
  readonly description?: string;
  readonly isRequired?: boolean;
  readonly error?: ReactNode;
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
  error: fault,
}: AccountPickerProps) {
  const { t } = useTranslation('finance');
  const [typed, setTyped] = useState('');
  const chosen = useLookup({ ...accountQuery(value ?? ''), enabled: value !== undefined }).data;
  const [find] = useDebouncedValue(typed === chosen?.name ? '' : typed.trim(), 200);
  const { data, error, refetch } = useInfiniteQuery(
    accountsQuery(find === '' ? {} : { find }, OFFERED, false),
  );
  useFailureTold(data ? null : error, refetch);
  const found = data?.pages[0]?.items ?? [];
  const offered = [...found, ...(chosen ? [chosen] : [])].map(({ id, name }) => [id, name] as const);
  return (
    <FoundSelect
      label={label ?? t('account')}
      description={description}
      placeholder={placeholder ?? t('everyAccount')}
      clearable={!isRequired}
      allowDeselect={!isRequired}
      clearButtonProps={{ 'aria-label': t('clear') }}
      found={new Map(offered)}
      fault={fault}
      error={data ? null : error}
      onRetry={() => void refetch()}
      none={t('noAccount')}
      value={value}
      onChange={onChange}
      typed={typed}
      onType={setTyped}
    />
  );
}
