import { ActionIcon, Group, Text, Title, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPencil, IconTrash } from '@tabler/icons-react';
import { computeServing, type Serving } from '@tollgate/catalogue/serving';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pool, Published } from '../../api/catalogue.ts';
import { putPool } from '../../api/upstreams.ts';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { FormError } from '../../shared/FormError.tsx';
import { Mark } from '../../shared/Mark.tsx';
import type { ChangeSearch } from './search.ts';
import { toTiers } from './status.ts';
import { usePublishing } from './use-publishing.ts';
import classes from './Upstreams.module.css';

const RemoveDialog = lazy(() => import('./RemoveDialog.tsx'));

interface PoolListProps {
  readonly live: Published;
  readonly change: ChangeSearch;
}

/** Pools in the order in which they are looked at, with who serves in them. */
export default function PoolList({ live, change }: PoolListProps) {
  const { t } = useTranslation('upstreams');
  const [doomed, doom] = useState<string | null>(null);
  const { pools, upstreams } = live.catalogue;
  const serving = useMemo(() => computeServing(live.catalogue), [live]);
  const off = new Set(upstreams.filter(({ disabled }) => disabled).map(({ name }) => name));
  const moving = usePublishing(({ pool, before }: { pool: Pool; before: Pool }) =>
    putPool(live, pool, before.name),
  );
  const swap = (pool: Pool | undefined, before: Pool | undefined) =>
    pool && before && !moving.isPending ? () => moving.mutate({ pool, before }) : undefined;
  return (
    <>
      <Text size="sm" c="dimmed" p="md" pb={0}>
        {t('order.about')}
      </Text>
      <FormError error={moving.error} />
      {pools.map((pool, index) => (
        <PoolCard
          key={pool.name}
          pool={pool}
          number={index + 1}
          serving={serving.pools.get(pool.name)}
          off={off}
          onEarlier={swap(pool, pools[index - 1])}
          onLater={swap(pools[index + 1], pool)}
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
  /** The first is looked at first. */
  readonly number: number;
  readonly serving: ReturnType<Serving['pools']['get']>;
  /** Upstreams that are switched off. */
  readonly off: ReadonlySet<string>;
  /** Absent where there is none in front of it. */
  readonly onEarlier: (() => void) | undefined;
  readonly onLater: (() => void) | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function PoolCard({ pool, number, serving, off, onEdit, onRemove, ...moves }: PoolCardProps) {
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
            {t('order.place', { number })} {pool.name}
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
          {serving?.models.length === 0 && <NeverReached behind={serving.behind} />}
        </div>
        <Group gap={2} wrap="nowrap">
          <MoveButton label={t('order.earlier', { name: pool.name })} onClick={moves.onEarlier}>
            <IconArrowUp size={17} />
          </MoveButton>
          <MoveButton label={t('order.later', { name: pool.name })} onClick={moves.onLater}>
            <IconArrowDown size={17} />
          </MoveButton>
          <RowMenu
            label={t('doings', { name: pool.name })}
            sections={() => [
              { entries: [{ label: t('edit'), icon: <IconPencil size={16} />, onClick: onEdit }] },
              {
                entries: [
                  { label: t('remove'), icon: <IconTrash size={16} />, isDanger: true, onClick: onRemove },
                ],
              },
            ]}
          />
        </Group>
      </Group>
      <div className={classes.tiers}>
        {toTiers(pool).map(({ priority, members }) => (
          <Tier key={priority} number={priority} members={members} off={off} />
        ))}
      </div>
    </section>
  );
}

interface MoveButtonProps {
  readonly label: string;
  readonly onClick: (() => void) | undefined;
  readonly children: ReactNode;
}

const MoveButton = ({ label, onClick, children }: MoveButtonProps) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={!onClick} onClick={onClick}>
    {children}
  </ActionIcon>
);

/** Why a pool gets no requests. */
function NeverReached({ behind }: { readonly behind: readonly string[] }) {
  const { t } = useTranslation('upstreams');
  return (
    <Group gap="xs" mt={4}>
      <Mark tone="warn">{t('order.never')}</Mark>
      <Text size="xs">
        {behind.length === 0 ? t('order.unused') : t('order.behind', { pools: behind.join(', ') })}
      </Text>
    </Group>
  );
}

interface TierProps {
  readonly number: number;
  readonly members: ReturnType<typeof toTiers>[number]['members'];
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
