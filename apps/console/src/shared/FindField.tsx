import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

interface FindFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly find: string | undefined;
  readonly onFind: (text: string) => void;
}

const TYPING_MS = 250;

/** What a list is searched for: it is asked for when typing pauses. */
export function FindField({ label, placeholder, find, onFind }: FindFieldProps) {
  const [text, setText] = useState(find ?? '');
  const look = useDebouncedCallback((typed: string) => onFind(typed.trim()), TYPING_MS);
  return (
    <TextInput
      type="search"
      maw={{ sm: 360 }}
      label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        look(value);
      }}
    />
  );
}
