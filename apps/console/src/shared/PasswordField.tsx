import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

/** A field for a secret. The library's own does not tell those who hear it that it is wrong, nor what is said below it. */
export function PasswordField({ id, ...props }: PasswordInputProps) {
  const { t } = useTranslation();
  const own = useId();
  const name = id ?? own;
  const { description, error } = props;
  const said = [
    ...(description ? [`${name}-description`] : []),
    ...(error && error !== true ? [`${name}-error`] : []),
  ];
  return (
    <PasswordInput
      id={name}
      aria-invalid={error ? true : undefined}
      aria-describedby={said.length > 0 ? said.join(' ') : undefined}
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
      {...props}
    />
  );
}
