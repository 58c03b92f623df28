import { Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import type { Concern } from './attention.ts';
import classes from './Overview.module.css';

const TONES: Readonly<Record<Concern['kind'], MarkTone>> = {
  service_down: 'bad',
  books_off: 'bad',
  books_behind: 'warn',
  credential_refused: 'bad',
  upstream_ejected: 'bad',
  running_dry: 'warn',
  model_in_no_group: 'plain',
  model_in_no_pool: 'warn',
  pool_never_reached: 'plain',
};

const SHOWN = 12;

interface ConcernListProps {
  readonly concerns: readonly Concern[];
  /** All that could need attention has been looked at. */
  readonly isComplete: boolean;
}

/** What needs attention, each with the way to where it is put right. */
export function ConcernList({ concerns, isComplete }: ConcernListProps) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  return (
    <Panel p={{ base: 'md', xs: 'lg' }}>
      <Title order={2} mb="sm">
        {t('attention.title')}
      </Title>
      {!isComplete && (
        <Text size="sm" c="dimmed" mb={concerns.length > 0 ? 'sm' : 0}>
          {t('attention.unknown')}
        </Text>
      )}
      {concerns.length === 0 ? (
        isComplete && <Mark tone="good">{t('attention.none')}</Mark>
      ) : (
        <ul className={classes.concerns}>
          {concerns.slice(0, SHOWN).map((concern) => (
            <li key={`${concern.kind} ${concern.id ?? concern.name}`}>
              <Mark tone={TONES[concern.kind]}>{t(`attention.kinds.${concern.kind}`)}</Mark>
              <Group gap="xs">
                <Where concern={concern} />
                {concern.leftUsd !== undefined && (
                  <Text size="sm" c="dimmed">
                    {t('attention.left', { amount: format.shortMoney(concern.leftUsd) })}
                  </Text>
                )}
              </Group>
            </li>
          ))}
        </ul>
      )}
      {concerns.length > SHOWN && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('attention.more', { count: concerns.length - SHOWN })}
        </Text>
      )}
    </Panel>
  );
}

function Where({ concern: { kind, name, id } }: { readonly concern: Concern }) {
  const { t } = useTranslation('overview');
  switch (kind) {
    case 'running_dry':
      return (
        <Anchor component={Link} to={`/accounts/${id}`} size="sm">
          {name}
        </Anchor>
      );
    case 'credential_refused':
    case 'upstream_ejected':
      return (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link {...props} to="/upstreams" search={{ open: name.split(' / ')[0] ?? name }} />
          )}
        >
          {name}
        </Anchor>
      );
    case 'pool_never_reached':
      return (
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/upstreams" search={{ tab: 'pools' }} />}
        >
          {name}
        </Anchor>
      );
    case 'model_in_no_group':
    case 'model_in_no_pool':
      return (
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/catalogue" search={{ find: name }} />}>
          {name}
        </Anchor>
      );
    default:
      return (
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/system" />}>
          {name === '' ? t('attention.system') : name}
        </Anchor>
      );
  }
}
