import { Box, type BoxProps, TextInput } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { foundKeyQuery, toKeyLabel } from '../api/search.ts';
import type { KeyPickerProps } from './KeyPicker.tsx';
import { useDeferred } from './use-deferred.ts';
import { useLookup } from './use-lookup.ts';

const loadPicker = () => import('./KeyPicker.tsx').then(({ KeyPicker }) => KeyPicker);

/** The key that a page is about. What searches for others is loaded when the page is first touched. */
export function KeyField({ flex, maw, ...props }: KeyPickerProps & Pick<BoxProps, 'flex' | 'maw'>) {
  const { loaded: Picker, place, keepClick } = useDeferred(loadPicker);
  const { account, value, label, placeholder } = props;
  const chosen = useLookup(foundKeyQuery(value, account)).data;
  return (
    <Box ref={place} flex={flex} maw={maw} miw={0}>
      {Picker ? (
        <Picker {...props} />
      ) : (
        <TextInput
          role="combobox"
          aria-expanded={false}
          aria-haspopup="listbox"
          readOnly
          pointer
          label={label}
          placeholder={placeholder}
          value={chosen ? toKeyLabel(chosen) : ''}
          rightSection={<IconSelector size={15} stroke={1.6} />}
          onClick={keepClick}
        />
      )}
    </Box>
  );
}
