import type { System } from '../../api/system.ts';
import { findAuditStatus, isBehind, isWell, findQueueStatus } from './status.ts';

const up = <T>(state: T) => ({ up: true, latency_ms: 1, error: null, state });
const down = { up: false, latency_ms: 1, error: 'away', state: null };
const gateway = {
  gateway: 'a',
  seen_at: '',
  started_at: '',
  version: '1',
  snapshot_version: 4,
  spool_files: 0,
  pending_events: 0,
};
const auditOf = (imbalance_usd: string, difference_count: number): NonNullable<System['audit']> => ({
  at: '',
  after: 0,
  to: 1,
  transactions: 1,
  entries: 2,
  accounts: 2,
  imbalance_usd,
  difference_count,
  differences: [],
});
const well: System = {
  at: '',
  billing: { version: '1', started_at: '' },
  pricing: up({ version: 4, hash: '', published_at: '' }),
  postgres: up({ version: '18', bytes: 1, connections: 1, max_connections: 9, rejected_events: 0 }),
  redis: up({ version: '8', role: 'master', bytes: 1, most_bytes: 0, connections: 1, uptime_s: 1 }),
  gateways: up([gateway]),
  queue: up({ waiting: 0, active: 0, delayed: 0, failed: 0 }),
  audit: auditOf('0.00', 0),
};

test('a system whose every part is up and whose books are right is well', () => {
  expect(isWell(well)).toBe(true);
});

test.each<[string, Partial<System>]>([
  ['pricing is down', { pricing: down }],
  ['PostgreSQL is down', { postgres: down }],
  ['Redis is down', { redis: down, gateways: down, queue: down }],
  ['no gateway is there', { gateways: up([]) }],
  ['a gateway is behind', { gateways: up([gateway, { ...gateway, snapshot_version: 3 }]) }],
  ['a job has failed', { queue: up({ waiting: 0, active: 0, delayed: 0, failed: 1 }) }],
  ['the books were never audited', { audit: null }],
  ['an audit found a difference', { audit: auditOf('0.00', 1) }],
])('it is not where %s', (_what, change) => {
  expect(isWell({ ...well, ...change })).toBe(false);
});

test('books that do not add up are told as that, and not as something that is down', () => {
  const audit = auditOf('0.01', 1);
  expect(findAuditStatus(audit)).toBe('off');
  expect(isWell({ ...well, audit })).toBe(false);
});

test('events that can never be posted are told', () => {
  const { state } = well.postgres;
  if (!state) throw new Error('it is up');
  expect(findQueueStatus({ ...well, postgres: up({ ...state, rejected_events: 1 }) })).toBe('warn');
  expect(findAuditStatus(null)).toBe('warn');
  expect(isBehind({ ...gateway, snapshot_version: null }, undefined)).toBe(false);
});
