import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { foundKeyQuery, keySearchQuery, toKeyLabel } from '../api/search.ts';

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
  const [typed, setTyped] = useState('');
  const chosen = useQuery(foundKeyQuery(value, account)).data;
  const [find] = useDebouncedValue(chosen && typed === toKeyLabel(chosen) ? '' : typed.trim(), TYPING_MS);
  const found = useQuery(keySearchQuery(find, account)).data ?? [];
  const offered = new Map([...found, ...(chosen ? [chosen] : [])].map((key) => [key.id, toKeyLabel(key)]));
  return (
    <Select
      label={label}
      placeholder={placeholder}
      clearable
      searchable
      // The service has searched already.
      filter={({ options }) => options}
      data={[...offered].map(([id, text]) => ({ value: id, label: text }))}
      value={value ?? null}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}
