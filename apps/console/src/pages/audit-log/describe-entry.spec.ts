import type { AuditEntry } from '../../api/audit-log.ts';
import { findSubject, listChanges, listPublished } from './describe-entry.ts';

const ID = '0198f1c2-7d1e-7000-8000-000000000001';
const entry = (of: Partial<AuditEntry>): AuditEntry => ({
  id: ID,
  at: '2026-11-01T00:00:00Z',
  source: 'billing',
  actor: 'anna@example.com',
  actor_id: null,
  role: null,
  action: 'key.create',
  object: null,
  object_name: null,
  object_owner: null,
  account_id: null,
  account_name: null,
  reason: null,
  before: null,
  after: null,
  request_id: null,
  address: null,
  ...of,
});

test.each<[Partial<AuditEntry>, object]>([
  [
    { object: `key ${ID}`, object_name: 'ci', object_owner: 'Anna' },
    { name: 'ci', owner: 'Anna' },
  ],
  [{ object: `user ${ID}`, before: { email: 'gone@example.com' } }, { name: 'gone@example.com' }],
  [{ object: `invite ${ID}`, after: { email: 'new@example.com' } }, { name: 'new@example.com' }],
  [{ object: 'catalogue version 12', action: 'catalogue.publish' }, { name: '12' }],
  [{ object: 'transaction 7' }, { name: '7' }],
  [{ object: '/api/catalogue/drafts/prices%202/publish' }, { name: 'prices 2' }],
  [{ object: '/api/catalogue/upstreams/openai/credentials/main/enable' }, { name: 'main' }],
  [{ object: 'PATCH /api/keys/:id', action: 'access.refused' }, { name: 'PATCH /api/keys/:id' }],
  [{ action: 'sign-in' }, { name: 'anna@example.com' }],
  [{ object: `export ${ID}` }, {}],
])('%j is about %j', (of, subject) => {
  expect(findSubject(entry(of))).toEqual(subject);
});

test('plain values are told as they were and are, others by their field', () => {
  const before = { name: 'ci', budgets: { daily_usd: '1' }, owner_id: ID, expires_at: null };
  const after = { name: 'ci-2', budgets: { daily_usd: '2' }, owner_id: null, expires_at: '2027-01-01' };
  expect(listChanges({ before, after })).toEqual([
    { field: 'name', before: 'ci', after: 'ci-2' },
    { field: 'budgets' },
    { field: 'owner_id' },
    { field: 'expires_at', before: null, after: '2027-01-01' },
  ]);
  expect(listChanges({ before: null, after })).toEqual([]);
});

test('a version tells what it changed', () => {
  const changes = [{ section: 'models', name: 'gpt-4o', change: 'changed' }];
  expect(listPublished({ action: 'catalogue.publish', after: { changes } })).toEqual(changes);
  expect(listPublished({ action: 'key.change', after: { changes } })).toEqual([]);
});
