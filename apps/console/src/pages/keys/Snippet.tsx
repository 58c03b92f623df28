import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../shared/CodeBlock.tsx';

/** Code to paste, and the file that it belongs in where it has one. */
export function Snippet({ code, where }: { readonly code: string; readonly where: string | undefined }) {
  const { t } = useTranslation('keys');
  return (
    <>
      {where !== undefined && (
        <Text size="xs" c="dimmed" mb={6} className="tg-mono">
          {where}
        </Text>
      )}
      <CodeBlock code={code} what={t('made.snippet')} />
    </>
  );
}
