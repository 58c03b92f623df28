import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { foundKeyQuery, keySearchQuery, toKeyLabel } from '../api/search.ts';
import { FoundSelect } from './FoundSelect.tsx';
import { useLookup } from './use-lookup.ts';

export interface KeyPickerProps {
  /** Whose keys; undefined for all that one may see. */
  readonly account: string | undefined;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly label: string;
  readonly placeholder: string;
}

const TYPING_MS = 200;

/** One of the keys, found by the service: by name, by what is shown of it or by id. */
export function KeyPicker({ account, value, onChange, label, placeholder }: KeyPickerProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const chosen = useLookup(foundKeyQuery(value, account)).data;
  const [find] = useDebouncedValue(chosen && typed === toKeyLabel(chosen) ? '' : typed.trim(), TYPING_MS);
  const { data: found = [], error, refetch } = useLookup(keySearchQuery(find, account));
  const offered = new Map([...found, ...(chosen ? [chosen] : [])].map((key) => [key.id, toKeyLabel(key)]));
  return (
    <FoundSelect
      label={label}
      placeholder={placeholder}
      clearable
      found={offered}
      error={error}
      onRetry={() => void refetch()}
      none={t('noKey')}
      value={value}
      onChange={onChange}
      typed={typed}
      onType={setTyped}
    />
  );
}
