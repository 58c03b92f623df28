import type { Session } from '@tollgate/contracts';
import Fastify, { type FastifyInstance } from 'fastify';
import { createRefusalLog, type Refusal } from './access-refusals.ts';

const member: Session = {
  user_id: '0198f1c2-7d1e-7000-8000-000000000001',
  account_id: '0198f1c2-7d1e-7000-8000-000000000002',
  email: 'ada@orders.example',
  role: 'member',
};
let lines: Record<string, unknown>[];
let entries: [Refusal, Session][];
let failing: boolean;
let now: number;
let door: FastifyInstance;

beforeEach(() => {
  now = 1_000_000;
  [lines, entries, failing] = [[], [], false];
  const log = (line: object) => void lines.push({ ...line });
  const note = createRefusalLog(
    { warn: log, error: log },
    {
      personOf: ({ headers }) => (headers['x-who'] === undefined ? undefined : member),
      audit(refusal, person) {
        if (failing) return Promise.reject(new Error('the database is away'));
        entries.push([refusal, person]);
        return Promise.resolve();
      },
    },
    () => now,
  );
  door = Fastify({ trustProxy: true, genReqId: () => 'req_1' });
  for (const [url, status] of [
    ['/things/:id', 403],
    ['/others', 401],
    ['/many', 429],
    ['/none', 404],
  ] as const)
    door.get(url, (request, reply) => {
      note(request, status, { message: 'No.', code: status === 403 ? 'some_code' : null });
      return reply.code(status).send();
    });
});
afterEach(() => door.close());

const ask = (url: string, address = '198.51.100.1', headers: Record<string, string> = {}) =>
  door.inject({ url, headers: { ...headers, 'x-forwarded-for': address } });

test('a refusal is a line with who, where and why, and without what stood in the path', async () => {
  await ask('/things/a-secret?token=b', '198.51.100.1', { 'x-who': 'member' });
  await ask('/others');
  await ask('/many');
  await ask('/none');
  const common = { event: 'access_refused', address: '198.51.100.1', request_id: 'req_1' };
  expect(lines).toEqual([
    {
      ...common,
      status: 403,
      code: 'some_code',
      route: 'GET /things/:id',
      user_id: member.user_id,
      role: 'member',
    },
    { ...common, status: 401, code: null, route: 'GET /others' },
    { ...common, status: 429, code: null, route: 'GET /many' },
  ]);
});

test('of somebody who is known it is an entry of the audit log, once an hour for a route', async () => {
  const asMember = { 'x-who': 'member' };
  for (const id of ['1', '2', '3']) await ask(`/things/${id}`, undefined, asMember);
  await ask('/others', undefined, asMember);
  await ask('/others');
  const of = (status: number, code: string | null, route: string) => ({
    status,
    code,
    route,
    message: 'No.',
  });
  expect(entries).toEqual([
    [of(403, 'some_code', 'GET /things/:id'), member],
    [of(401, null, 'GET /others'), member],
  ]);
  now += 3_600_001;
  await ask('/things/4', undefined, asMember);
  expect(entries).toHaveLength(3);
});

test('an entry that could not be written is tried again, and said', async () => {
  failing = true;
  await ask('/things/1', undefined, { 'x-who': 'member' });
  await Promise.resolve();
  expect(lines).toContainEqual(expect.objectContaining({ err: expect.any(Error) }));
  failing = false;
  await ask('/things/1', undefined, { 'x-who': 'member' });
  expect(entries).toHaveLength(1);
});

test('one client fills ten lines a minute, with all of its addresses, and leaves those of others alone', async () => {
  for (let number = 0; number < 50; number += 1) await ask('/others', `2001:db8:1:2::${number}`);
  expect(lines).toHaveLength(10);
  await ask('/others', '198.51.100.7');
  expect(lines).toHaveLength(11);
  now += 60_001;
  await ask('/others', '2001:db8:1:2::1');
  expect(lines.slice(11)).toMatchObject([
    { event: 'access_refusals_left_out', count: 40 },
    { event: 'access_refused' },
  ]);
});

test('all clients together fill sixty lines a minute', async () => {
  for (let number = 0; number < 200; number += 1) await ask('/others', `198.51.100.${number}`);
  expect(lines).toHaveLength(60);
  now += 60_001;
  await ask('/others');
  expect(lines[60]).toEqual({ event: 'access_refusals_left_out', count: 140 });
});
