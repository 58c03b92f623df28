import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface FoundSelectProps extends Pick<
  SelectProps,
  'label' | 'description' | 'placeholder' | 'clearable' | 'allowDeselect' | 'clearButtonProps'
> {
  /** What the service has found, which has searched already, and not in names alone: ids and names. */
  readonly found: ReadonlyMap<string, string>;
  /** What is wrong with what was chosen. */
  readonly fault?: ReactNode;
  /** Why it could not look. */
  readonly error: Error | null;
  readonly onRetry: () => void;
  /** What stands in the list where nothing was found. */
  readonly none: string;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly typed: string;
  readonly onType: (text: string) => void;
}

const AGAIN = ' again';

/** One of what is found of what one types. Where that could not be asked for, the list says so, and asks again. */
export function FoundSelect({
  found,
  fault,
  error,
  onRetry,
  none,
  value,
  onChange,
  typed,
  onType,
  ...props
}: FoundSelectProps) {
  const { t } = useTranslation();
  const again = t('failed.again');
  const options = [
    ...[...found].map(([id, label]) => ({ value: id, label })),
    ...(error ? [{ value: AGAIN, label: again }] : []),
  ];
  return (
    <Select
      {...props}
      error={fault}
      searchable
      filter={({ options: all }) => all}
      data={options.length > 0 ? options : [{ value: '', label: none, disabled: true }]}
      value={value ?? null}
      searchValue={typed}
      onSearchChange={(text) => {
        if (text !== again) onType(text);
      }}
      onChange={(id) => {
        if (id === AGAIN) onRetry();
        else onChange(id ?? undefined);
      }}
    />
  );
}
