import { Stack, Text } from '@mantine/core';
import type { ModelServing } from '@tollgate/catalogue/serving';
import { useTranslation } from 'react-i18next';
import { Mark } from '../../shared/Mark.tsx';

/** The pools that serve a model, or why nobody can call it. */
export function ServedBy({ serving }: { readonly serving: ModelServing | undefined }) {
  const { t } = useTranslation('catalogue');
  if (!serving) return '–';
  const { groups, pools, unserved } = serving;
  if (groups.length === 0) return <Mark tone="warn">{t('serving.noGroup')}</Mark>;
  if (pools.length === 0) return <Mark tone="warn">{t('serving.noPool')}</Mark>;
  const isOne = pools.length === 1 && unserved.length === 0;
  return (
    <Stack gap={1}>
      {pools.map(({ pool, groups: of }) => (
        <Text key={pool} size="sm">
          {isOne ? pool : t('serving.of', { pool, groups: of.join(', ') })}
        </Text>
      ))}
      {unserved.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('serving.missing', { groups: unserved.join(', ') })}
        </Text>
      )}
    </Stack>
  );
}
