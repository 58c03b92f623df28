import { Box, type MantineSize, type SelectProps, TextInput } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useDeferred } from './use-deferred.ts';

interface ChoiceProps {
  readonly label: string;
  /** The label is heard only. */
  readonly isLabelHidden?: boolean;
  readonly data: readonly (string | { readonly value: string; readonly label: string })[];
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly placeholder?: string;
  readonly clearable?: boolean;
  readonly searchable?: boolean;
  readonly allowDeselect?: boolean;
  readonly disabled?: boolean;
  readonly leftSection?: ReactNode;
  readonly size?: MantineSize;
  readonly flex?: SelectProps['flex'];
  readonly maw?: SelectProps['maw'];
}

const loadSelect = () => import('./LoadedSelect.ts').then(({ Select }) => Select);

/** One of many. What draws the list is loaded when the page is first touched. */
export function Choice({ label, isLabelHidden = false, data, flex, maw, ...props }: ChoiceProps) {
  const { loaded: Select, place, keepClick } = useDeferred(loadSelect);
  const named = isLabelHidden ? { 'aria-label': label } : { label };
  const rightSection = <IconSelector size={15} stroke={1.6} />;
  return (
    <Box ref={place} flex={flex} maw={maw} miw={0}>
      {Select ? (
        <Select {...named} {...props} data={[...data]} rightSection={rightSection} />
      ) : (
        <TextInput
          {...named}
          role="combobox"
          aria-expanded={false}
          aria-haspopup="listbox"
          readOnly
          pointer
          disabled={props.disabled ?? false}
          placeholder={props.placeholder ?? ''}
          leftSection={props.leftSection}
          size={props.size ?? 'sm'}
          value={findName(data, props.value)}
          rightSection={rightSection}
          onClick={keepClick}
        />
      )}
    </Box>
  );
}

function findName(data: ChoiceProps['data'], value: string | null): string {
  const entry = data.find((each) => (typeof each === 'string' ? each : each.value) === value);
  return typeof entry === 'string' ? entry : (entry?.label ?? '');
}
