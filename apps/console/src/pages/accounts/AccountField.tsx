import { Box, TextInput } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { accountQuery } from '../../api/accounts.ts';
import { useDeferred } from '../../shared/use-deferred.ts';
import type { AccountPickerProps } from './AccountPicker.tsx';
import { useLookup } from '../../shared/use-lookup.ts';

const loadPicker = () => import('./AccountPicker.tsx').then(({ AccountPicker }) => AccountPicker);

/** The account that a page is about. What searches for others is loaded when the page is first touched. */
export function AccountField(props: AccountPickerProps) {
  const { t } = useTranslation('finance');
  const { loaded: Picker, place, keepClick } = useDeferred(loadPicker);
  const { value, label, placeholder } = props;
  const chosen = useLookup({ ...accountQuery(value ?? ''), enabled: value !== undefined }).data;
  return (
    <Box ref={place} flex="1 1 10rem" maw={{ sm: 300 }} miw={0}>
      {Picker ? (
        <Picker {...props} />
      ) : (
        <TextInput
          role="combobox"
          aria-expanded={false}
          aria-haspopup="listbox"
          readOnly
          pointer
          label={label ?? t('account')}
          placeholder={placeholder ?? t('everyAccount')}
          value={chosen?.name ?? ''}
          rightSection={<IconSelector size={15} stroke={1.6} />}
          onClick={keepClick}
        />
      )}
    </Box>
  );
}
