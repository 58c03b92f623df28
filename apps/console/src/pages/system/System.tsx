import { Group, Text, Title } from '@mantine/core';
import { IconServerOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type GatewayState, type System, systemQuery } from '../../api/system.ts';
import { Moment } from '../../shared/Moment.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { findAuditStatus, isBehind, isWell, type PartStatus, findQueueStatus } from './status.ts';
import classes from './System.module.css';

export const page = createLazyRoute('/shell/system')({ component: SystemPage });

const TONES: Readonly<Record<PartStatus, MarkTone>> = { up: 'good', warn: 'warn', down: 'bad', off: 'bad' };

function SystemPage() {
  const { t } = useTranslation('system');
  const { data, error, refetch } = useQuery(systemQuery);
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={data && <Mark tone={isWell(data) ? 'good' : 'warn'}>{t(isWell(data) ? 'well' : 'look')}</Mark>}
    >
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {!error && !data && (
        <Panel>
          <LoadingRows />
        </Panel>
      )}
      {data && <Parts system={data} />}
    </Page>
  );
}

function Parts({ system }: { readonly system: System }) {
  const { t } = useTranslation('system');
  const format = useFormat();
  const { pricing, postgres, redis, queue, audit, gateways } = system;
  const status = ({ up }: System['postgres' | 'pricing' | 'redis']): PartStatus => (up ? 'up' : 'down');
  const megabytes = (bytes: number) => t('mb', { count: Math.round(bytes / 1_048_576) });
  return (
    <>
      <div className={classes.grid}>
        <Part
          name={t('parts.billing')}
          status="up"
          facts={[
            [t('version'), system.billing.version],
            [t('since'), format.fromNow(system.billing.started_at)],
          ]}
        />
        <Part
          name={t('parts.pricing')}
          status={status(pricing)}
          error={pricing.error}
          facts={[
            ...(pricing.state
              ? ([
                  [t('published'), format.count(pricing.state.version)],
                  [t('publishedAt'), format.fromNow(pricing.state.published_at)],
                ] as const)
              : []),
            [t('latency'), t('ms', { ms: pricing.latency_ms })],
          ]}
        />
        <Part
          name={t('parts.queue')}
          status={findQueueStatus(system)}
          error={queue.error}
          facts={[
            ...(queue.state
              ? (['waiting', 'active', 'delayed', 'failed'] as const).map(
                  (each) => [t(`queue.${each}`), format.count(queue.state?.[each] ?? 0)] as const,
                )
              : []),
            ...(postgres.state
              ? ([[t('queue.rejected'), format.count(postgres.state.rejected_events)]] as const)
              : []),
          ]}
        />
        <Part
          name={t('parts.audit')}
          status={findAuditStatus(audit)}
          facts={
            audit
              ? [
                  [t('audit.at'), format.fromNow(audit.at)],
                  [t('audit.to'), format.count(audit.to)],
                  [t('audit.differences'), format.count(audit.difference_count)],
                  [t('audit.imbalance'), format.exactMoney(audit.imbalance_usd)],
                ]
              : [[t('audit.at'), t('audit.never')]]
          }
        />
        <Part
          name={t('parts.postgres')}
          status={status(postgres)}
          error={postgres.error}
          facts={[
            ...(postgres.state
              ? ([
                  [t('version'), postgres.state.version],
                  [t('size'), megabytes(postgres.state.bytes)],
                  [
                    t('connections'),
                    t('ofMax', {
                      count: postgres.state.connections,
                      max: format.count(postgres.state.max_connections),
                    }),
                  ],
                ] as const)
              : []),
            [t('latency'), t('ms', { ms: postgres.latency_ms })],
          ]}
        />
        <Part
          name={t('parts.redis')}
          status={status(redis)}
          error={redis.error}
          facts={[
            ...(redis.state
              ? ([
                  [t('version'), redis.state.version],
                  [t('size'), megabytes(redis.state.bytes)],
                  [t('connections'), format.count(redis.state.connections)],
                ] as const)
              : []),
            [t('latency'), t('ms', { ms: redis.latency_ms })],
          ]}
        />
      </div>
      <Panel>
        {gateways.state && gateways.state.length > 0 ? (
          <Gateways gateways={gateways.state} published={pricing.state?.version} />
        ) : (
          <Nothing
            icon={IconServerOff}
            title={t('noGateways')}
            about={gateways.error ?? t('noGatewaysAbout')}
          />
        )}
      </Panel>
      <Text size="xs" c="dimmed">
        {t('asOf', { time: format.moment(system.at) })}
      </Text>
    </>
  );
}

interface PartProps {
  readonly name: string;
  readonly status: PartStatus;
  readonly error?: string | null;
  readonly facts: readonly (readonly [string, ReactNode])[];
}

function Part({ name, status, error = null, facts }: PartProps) {
  const { t } = useTranslation('system');
  return (
    <Panel>
      <section className={classes.part} aria-label={name}>
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h3">
            {name}
          </Title>
          <Mark tone={TONES[status]}>{t(`status.${status}`)}</Mark>
        </Group>
        {error !== null && (
          <Text size="sm" mt="xs" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
        <dl className={classes.figures}>
          {facts.map(([fact, value]) => (
            <div key={fact}>
              <dt>{fact}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </Panel>
  );
}

interface GatewaysProps {
  readonly gateways: readonly GatewayState[];
  readonly published: number | undefined;
}

function Gateways({ gateways, published }: GatewaysProps) {
  const { t } = useTranslation('system');
  const format = useFormat();
  const columns = useMemo((): readonly Column<GatewayState>[] => {
    const number = (id: 'spool_files' | 'pending_events'): Column<GatewayState> => ({
      id,
      header: t(`gateways.${id}`),
      align: 'end',
      cell: (gateway) => <span className="tg-number">{format.count(gateway[id])}</span>,
    });
    return [
      {
        id: 'gateway',
        header: t('gateways.gateway'),
        card: 'title',
        cell: ({ gateway }) => <span className="tg-mono">{gateway}</span>,
      },
      {
        id: 'snapshot',
        header: t('gateways.snapshot'),
        cell: (gateway) => (
          <Mark tone={isBehind(gateway, published) ? 'warn' : 'good'}>
            {gateway.snapshot_version === null
              ? t('gateways.none')
              : t('gateways.serves', { version: gateway.snapshot_version })}
          </Mark>
        ),
      },
      number('spool_files'),
      number('pending_events'),
      { id: 'version', header: t('version'), align: 'end', cell: ({ version }) => version },
      {
        id: 'since',
        header: t('since'),
        align: 'end',
        cell: ({ started_at: at }) => <Moment at={at} as="ago" />,
      },
    ];
  }, [t, format, published]);
  return (
    <DataTable
      label={t('gateways.title')}
      columns={columns}
      rows={gateways}
      rowId={({ gateway }) => gateway}
    />
  );
}
