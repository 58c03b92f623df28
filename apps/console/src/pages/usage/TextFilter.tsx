import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

export const FILTER_WIDTH = { flex: '1 1 10rem', maw: { sm: 230 } } as const;

interface TextFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly icon?: ReactNode;
  readonly isFigure?: boolean;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Is asked for when it is typed to its end. */
export function TextFilter({ label, placeholder, icon, isFigure = false, value, onChange }: TextFilterProps) {
  const set = (typed: string) => {
    const text = typed.trim();
    if (text !== (value ?? '')) onChange(text);
  };
  return (
    <TextInput
      key={value}
      {...FILTER_WIDTH}
      label={label}
      placeholder={placeholder}
      leftSection={icon}
      inputMode={isFigure ? 'decimal' : 'text'}
      defaultValue={value ?? ''}
      onKeyDown={({ key, currentTarget: { value: typed } }) => {
        if (key === 'Enter') set(typed);
      }}
      onBlur={({ currentTarget: { value: typed } }) => set(typed)}
    />
  );
}
