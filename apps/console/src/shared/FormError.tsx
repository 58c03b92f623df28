import { Text } from '@mantine/core';
import { useErrorText } from './States.tsx';

/** What a form as a whole was refused for; nothing where it was not. */
export function FormError({ error }: { readonly error: Error | null }) {
  const errorText = useErrorText();
  return error ? (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {errorText(error)}
    </Text>
  ) : null;
}
