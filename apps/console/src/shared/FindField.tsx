import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

interface FindFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly find: string | undefined;
  readonly onFind: (text: string) => void;
}

const TYPING_MS = 250;

/** What a list is searched for. */
export function FindField({ label, placeholder, find, onFind }: FindFieldProps) {
  const [text, setText] = useState(find ?? '');
  const look = useTyped((typed) => onFind(typed.trim()));
  const field = useRef<HTMLInputElement>(null);
  // A link to the page, such as that of the navigation, searches for something else, or nothing.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(find ?? '');
  }, [find]);
  return (
    <TextInput
      ref={field}
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

/** Tells what is typed at once where nothing was typed just before, and what comes fast when it pauses. */
function useTyped(onTyped: (text: string) => void): (text: string) => void {
  const typedAt = useRef(-Infinity);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (text) => {
    const isFast = performance.now() - typedAt.current < TYPING_MS;
    typedAt.current = performance.now();
    clearTimeout(timer.current);
    if (isFast) timer.current = setTimeout(() => onTyped(text), TYPING_MS);
    else onTyped(text);
  };
}
