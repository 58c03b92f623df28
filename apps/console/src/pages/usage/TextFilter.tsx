import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';

export const FILTER_WIDTH = { flex: '1 1 10rem', maw: { sm: 230 } } as const;

interface TextFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly icon?: ReactNode;
  /** Of a filter by a figure: whether a text is one, and what is said of one that is not. */
  readonly figure?: { readonly fits: (text: string) => boolean; readonly wrong: string };
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Is asked for when it is typed to its end. */
export function TextFilter({ label, placeholder, icon, figure, value, onChange }: TextFilterProps) {
  const [isWrong, setWrong] = useState(false);
  const set = (typed: string) => {
    const text = typed.trim();
    const fits = text === '' || figure === undefined || figure.fits(text);
    setWrong(!fits);
    if (fits && text !== (value ?? '')) onChange(text);
  };
  return (
    <TextInput
      key={value}
      {...FILTER_WIDTH}
      label={label}
      placeholder={placeholder}
      leftSection={icon}
      inputMode={figure ? 'decimal' : 'text'}
      error={isWrong ? figure?.wrong : null}
      defaultValue={value ?? ''}
      onKeyDown={({ key, currentTarget: { value: typed } }) => {
        if (key === 'Enter') set(typed);
      }}
      onBlur={({ currentTarget: { value: typed } }) => set(typed)}
    />
  );
}
