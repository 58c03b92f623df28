import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowMerge } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ChangedMeanwhile } from '../../api/changed-meanwhile.ts';
import { DifferenceList } from './DifferenceList.tsx';
import type { Choice } from './use-decision.ts';
import { useDiscountNames } from './use-discount-names.ts';

export interface MeanwhileProps {
  readonly error: ChangedMeanwhile;
  readonly onDecide: (choice: Choice) => void;
}

/** What somebody else changed while a form was filled in, and what becomes of what was typed. */
export default function Meanwhile({ error: { differences, by }, onDecide }: MeanwhileProps) {
  const { t } = useTranslation('catalogue-versions');
  const names = useDiscountNames(differences);
  return (
    <Alert color="yellow" icon={<IconArrowMerge size={18} />} title={t('meanwhile.title')} role="alert">
      <Stack gap="sm">
        <Text size="sm">
          {t(
            by.length === 0 ? 'meanwhile.bySomebody' : by.length === 1 ? 'meanwhile.by' : 'meanwhile.byOneOf',
            {
              people: by.join(', '),
            },
          )}
        </Text>
        <DifferenceList differences={differences} accountNames={names} />
        <Text size="sm">{t('meanwhile.means')}</Text>
        <Group gap="xs">
          <Button size="compact-sm" onClick={() => onDecide('mine')}>
            {t('meanwhile.mine')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onDecide('theirs')}>
            {t('meanwhile.theirs')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
