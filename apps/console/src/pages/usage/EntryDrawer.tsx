import { Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RequestEntry } from '../../api/requests.ts';
import { Copy } from '../../shared/Copy.tsx';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { AttemptsPart } from './AttemptsPart.tsx';
import { ChargeTable } from './ChargeTable.tsx';
import { DisputedPart } from './DisputedPart.tsx';
import { EntryFigures } from './EntryFigures.tsx';
import { FailurePart } from './FailurePart.tsx';
import classes from './Usage.module.css';

interface EntryDrawerProps {
  readonly entry: RequestEntry | null;
  readonly onClose: () => void;
}

/** The story of one request: why it failed, who was tried, what it was charged. */
export default function EntryDrawer({ entry, onClose }: EntryDrawerProps) {
  const { t } = useTranslation('usage');
  return (
    <SideDrawer of={entry} size={520} onClose={onClose} title={() => t('request')}>
      {(shown) => <Story entry={shown} />}
    </SideDrawer>
  );
}

function Story({ entry }: { readonly entry: RequestEntry }) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const { charge } = entry;
  return (
    <Stack gap="lg">
      <div>
        <Text className={classes.charge}>
          {charge === null ? t('notCharged') : format.exactMoney(charge.cost_usd)}
        </Text>
        <Group gap={2} wrap="nowrap">
          <span className={`tg-mono ${classes.id}`}>{entry.request_id}</span>
          <Copy text={entry.request_id} what={t('requestId')} />
        </Group>
      </div>
      <FailurePart entry={entry} />
      {(charge === null || entry.attempts.length > 1) && <AttemptsPart attempts={entry.attempts} />}
      {charge !== null && (
        <section>
          <Title order={2} mb="xs">
            {t('charge.title')}
          </Title>
          <ChargeTable entry={charge} />
        </section>
      )}
      {charge !== null && <DisputedPart entry={charge} />}
      <EntryFigures entry={entry} />
    </Stack>
  );
}
