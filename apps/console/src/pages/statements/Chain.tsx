import { Text, Title } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { statementsQuery } from '../../api/statements.ts';
import { Copy } from '../../shared/Copy.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Statements.module.css';

/** What vouches for a closed month: its hash, which holds the one of the month before. */
export function Chain({ month, account }: { readonly month: string; readonly account: string | undefined }) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const { data, error, refetch } = useQuery(statementsQuery(account));
  const summary = data?.items.find((each) => each.month === month);
  if (!data && error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!summary) return null;
  const { hash, previous_hash, closed_at } = summary;
  return (
    <section>
      <Title order={2} mb="xs">
        {t('chain.title')}
      </Title>
      <Panel p="md">
        {hash === null ? (
          <Text size="sm" c="dimmed">
            {t('chain.open')}
          </Text>
        ) : (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              {t('chain.about', { date: format.moment(closed_at ?? '') })}
            </Text>
            <Link256 name={t('chain.hash')} hash={hash} />
            {previous_hash === null ? (
              <Text size="xs" c="dimmed" mt="xs">
                {t('chain.first')}
              </Text>
            ) : (
              <Link256 name={t('chain.previous')} hash={previous_hash} />
            )}
          </>
        )}
      </Panel>
    </section>
  );
}

const Link256 = ({ name, hash }: { readonly name: string; readonly hash: string }) => (
  <div className={classes.hash}>
    <IconLink size={16} stroke={1.7} />
    <span>
      <Text span display="block" size="xs" c="dimmed">
        {name}
      </Text>
      <code className="tg-mono">{hash}</code>
    </span>
    <Copy text={hash} what={name} />
  </div>
);
