import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const LEAST = 12;

/** Whether a text is long enough for a password of this service. */
export const isPassword = (text: string): boolean => text.length >= LEAST;

/** A field for a password that is being chosen. */
export function NewPassword(props: PasswordInputProps) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      description={t('passwordRule', { count: LEAST })}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
      {...props}
    />
  );
}
