import { ActionIcon, Group, Text, Title, Tooltip } from '@mantine/core';
import { IconDotsVertical, IconPencil, IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pool, Published } from '../../api/catalogue.ts';
import { ActionsMenu } from '../../shared/ActionsMenu.tsx';
import type { ChangeSearch } from './search.ts';
import { toTiers } from './status.ts';
import classes from './Upstreams.module.css';

const RemoveDialog = lazy(() => import('./RemoveDialog.tsx'));

interface PoolListProps {
  readonly live: Published;
  readonly change: ChangeSearch;
}

/** Pools in the order in which they are looked at, with who serves in them. */
export default function PoolList({ live, change }: PoolListProps) {
  const [doomed, doom] = useState<string | null>(null);
  const off = new Set(live.catalogue.upstreams.filter(({ disabled }) => disabled).map(({ name }) => name));
  return (
    <>
      {live.catalogue.pools.map((pool) => (
        <PoolCard
          key={pool.name}
          pool={pool}
          off={off}
          onEdit={() => change({ edit: pool.name })}
          onRemove={() => doom(pool.name)}
        />
      ))}
      <Suspense>
        {doomed !== null && (
          <RemoveDialog live={live} section="pools" name={doomed} onClose={() => doom(null)} />
        )}
      </Suspense>
    </>
  );
}

interface PoolCardProps {
  readonly pool: Pool;
  /** Upstreams that are switched off. */
  readonly off: ReadonlySet<string>;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function PoolCard({ pool, off, onEdit, onRemove }: PoolCardProps) {
  const { t } = useTranslation('upstreams');
  const named = (names: readonly string[], every: string) => (names.includes('*') ? every : names.join(', '));
  const facts = [
    t(`strategies.${pool.strategy as 'weighted'}`),
    t('tries', { count: pool.attempts }),
    t('retries', { percent: pool.retry_percent }),
    ...(pool.hedge ? [t('hedged')] : []),
  ];
  return (
    <section className={classes.pool} aria-label={pool.name}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h3" className="tg-mono">
            {pool.name}
          </Title>
          <Text size="sm">
            {t('serves', {
              models: named(pool.models, t('everyModel')),
              groups: named(pool.groups, t('everyGroup')),
            })}
          </Text>
          <Text size="xs" c="dimmed">
            {facts.join(' · ')}
          </Text>
        </div>
        <ActionsMenu
          target={
            <ActionIcon variant="subtle" color="gray" aria-label={t('doings', { name: pool.name })}>
              <IconDotsVertical size={17} />
            </ActionIcon>
          }
          sections={[
            { entries: [{ label: t('edit'), icon: <IconPencil size={16} />, onClick: onEdit }] },
            {
              entries: [
                { label: t('remove'), icon: <IconTrash size={16} />, isDanger: true, onClick: onRemove },
              ],
            },
          ]}
        />
      </Group>
      <div className={classes.tiers}>
        {toTiers(pool).map((tier, index) => (
          <Tier key={index} number={index + 1} members={tier} off={off} />
        ))}
      </div>
    </section>
  );
}

interface TierProps {
  readonly number: number;
  readonly members: ReturnType<typeof toTiers>[number];
  readonly off: ReadonlySet<string>;
}

function Tier({ number, members, off }: TierProps) {
  const { t } = useTranslation('upstreams');
  return (
    <>
      <Text size="xs" c="dimmed">
        {t('tier', { number })}
      </Text>
      <div className={classes.shares}>
        {members.map(({ upstream, percent }, index) => (
          <Tooltip key={index} label={t('shareOf', { upstream, percent })}>
            <span
              className={`tg-mono ${classes.share}`}
              style={{ flex: `${Math.max(percent, 1)} 1 0` }}
              data-off={off.has(upstream)}
            >
              {t('shareOf', { upstream, percent })}
            </span>
          </Tooltip>
        ))}
      </div>
    </>
  );
}
