import { Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UsageEntry } from '../../api/usage.ts';
import { ModelName } from '../../shared/ModelName.tsx';
import { Moment } from '../../shared/Moment.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Home.module.css';

/** The last requests, and the way to all of them. */
export function RecentPanel({ entries }: { readonly entries: readonly UsageEntry[] }) {
  const { t } = useTranslation('home');
  const format = useFormat();
  return (
    <Panel>
      <Group justify="space-between" px="lg" py="sm">
        <Title order={2}>{t('recent')}</Title>
        <Anchor component={Link} to="/usage" size="sm">
          {t('all')}
        </Anchor>
      </Group>
      <ul className={classes.recent}>
        {entries.map((entry) => (
          <li key={entry.request_id}>
            <Moment at={entry.occurred_at} as="ago" />
            <ModelName name={entry.model} />
            <Text span size="xs" c={entry.outcome === 'completed' ? 'dimmed' : 'var(--tg-warn)'}>
              {t(`outcomes.${entry.outcome}`)}
            </Text>
            <span className="tg-number" data-end>
              {t('ms', { ms: format.count(entry.latency_ms) })}
            </span>
            <b className="tg-number" data-end>
              {format.exactMoney(entry.cost_usd)}
            </b>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
