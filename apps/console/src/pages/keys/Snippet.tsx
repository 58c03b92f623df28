import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Copy } from '../../shared/Copy.tsx';
import classes from './Keys.module.css';

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
      <div className={classes.snippet}>
        <pre tabIndex={0}>{code}</pre>
        <div>
          <Copy text={code} what={t('made.snippet')} />
        </div>
      </div>
    </>
  );
}
