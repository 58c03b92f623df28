import { Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RequestEntry } from '../../api/requests.ts';
import { Mark } from '../../shared/Mark.tsx';
import { findTone, isKnownLimit } from './entry.ts';
import { useCodeName } from './use-code-name.ts';
import classes from './Usage.module.css';

/** Why a request was not answered: its status, what its client was told, and the limit that it hit. */
export function FailurePart({ entry }: { readonly entry: RequestEntry }) {
  const { t } = useTranslation('usage');
  const codeName = useCodeName();
  const { error_code: code, message, limited_by: limit } = entry;
  if (code === null) return null;
  return (
    <section>
      <Title order={2} mb="xs">
        {t('why')}
      </Title>
      <Stack gap={6} className={classes.failure}>
        <span>
          <Mark tone={findTone(entry)}>
            {entry.http_status} {codeName(code)}
          </Mark>
        </span>
        {message !== null && (
          <Text size="sm" className={classes.words}>
            {message}
          </Text>
        )}
        {limit !== null && (
          <Text size="sm">
            {t('limitHit', { limit: isKnownLimit(limit) ? t(`limits.${limit}`) : limit })}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {t('code')} <code className="tg-mono">{code}</code>
        </Text>
      </Stack>
    </section>
  );
}
