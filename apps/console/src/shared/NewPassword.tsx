import { type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PasswordField } from './PasswordField.tsx';

const LEAST = 12;

/** Whether a text is long enough for a password of this service. */
export const isPassword = (text: string): boolean => text.length >= LEAST;

/** A field for a password that is being chosen. */
export function NewPassword(props: PasswordInputProps) {
  const { t } = useTranslation();
  return (
    <PasswordField description={t('passwordRule', { count: LEAST })} autoComplete="new-password" {...props} />
  );
}
