import { randomUUID } from 'node:crypto';
import { MESSAGE } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient, type RequestReplyClient } from '@tollgate/platform';
import { z } from 'zod';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { addPerson, type Answer, call, signIn } from '../../testing/people.ts';
import { usageEvent } from '../../testing/usage-events.ts';

let pair: Pair;
let gateway: RequestReplyClient;
const cookies = { finance: '', member: '' };
beforeAll(async () => {
  pair = await startPair();
  gateway = createRequestReplyClient(
    `tcp://127.0.0.1:${pair.billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  for (const role of ['finance', 'member'] as const) {
    await addPerson(pair.environment, `${role}@billing.example`, role);
    cookies[role] = await signIn(pair.billing.url, `${role}@billing.example`);
  }
});
afterAll(async () => {
  gateway.close();
  await pair.stop();
});

interface Item {
  readonly id: string;
  readonly state: string;
  readonly request_id: string;
  readonly reason: string;
  readonly tries: number;
  readonly event: { readonly model: string };
}
type Body = { items: Item[]; next: string | null; posted?: boolean; error?: { message: string } };
const ask = (method: string, path = '', who: keyof typeof cookies = 'finance'): Promise<Answer<Body>> =>
  call<Body>(
    { url: pair.billing.url, cookie: cookies[who] },
    method,
    `/api/usage/rejected${path}`,
    method === 'POST' ? {} : undefined,
  );

/** Usage of a model that its version does not have: rejected. */
async function reject(): Promise<Item> {
  const request_id = `req_${randomUUID()}`;
  const lacking = usageEvent({ request_id, account_id: pair.environment.first.accountId, model: 'gone' });
  await gateway.request(MESSAGE.usagePost, { events: [lacking] }, z.null(), 10_000);
  const found = (await ask('GET', '?limit=200')).body.items.find((item) => item.request_id === request_id);
  if (!found) throw new Error('it is not among the rejected');
  return found;
}
const rowsOf = async ({ request_id }: Item): Promise<number> => {
  const rows: unknown[] = await pair.environment.database.query(
    'SELECT 1 FROM billing.usage WHERE request_id = $1',
    [request_id],
  );
  return rows.length;
};
/** What it lacked is there: here the event names a model that there is. */
const fixCause = ({ id }: Item) =>
  pair.environment.database.query(
    `UPDATE billing.usage_rejected SET event = replace(event::text, '"gone"', '"sim-chat"')::jsonb WHERE id = $1`,
    [id],
  );

test('what was rejected is shown with its reason and its event, page by page', async () => {
  const [first, second] = [await reject(), await reject()];
  expect(first).toMatchObject({ state: 'rejected', reason: 'version 1 has no model "gone"', tries: 0 });
  expect(first.event.model).toBe('gone');
  const page = (await ask('GET', '?limit=1&state=rejected')).body;
  expect(page).toMatchObject({ items: [{ id: second.id }], next: second.id });
  expect((await ask('GET', `?limit=1&cursor=${page.next}`)).body.items[0]?.id).toBe(first.id);
  expect((await ask('GET', '?state=waiting')).body.items).toEqual([]);
});

test('it is posted once what it lacked is there, once however often somebody asks, and that is in the audit log', async () => {
  const item = await reject();
  const refused = await ask('POST', `/${item.id}/retry`);
  expect(refused).toMatchObject({
    status: 409,
    body: { error: { message: 'It cannot be posted yet: version 1 has no model "gone"' } },
  });
  expect(await rowsOf(item)).toBe(0);
  await fixCause(item);
  const answers = await Promise.all([1, 2, 3].map(() => ask('POST', `/${item.id}/retry`)));
  expect(answers.map(({ status }) => status)).toContain(200);
  expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 404]))).toEqual(new Set());
  expect(await rowsOf(item)).toBe(1);
  expect((await ask('POST', `/${item.id}/retry`)).status).toBe(404);
  const log: { actor: string; after: object }[] = await pair.environment.database.query(
    `SELECT actor, after FROM billing.audit_log WHERE action = 'usage.retry' AND object = $1 ORDER BY at`,
    [`usage ${item.request_id}`],
  );
  expect(log[0]).toEqual({
    actor: 'finance@billing.example',
    after: { posted: false, reason: 'version 1 has no model "gone"' },
  });
  expect(log.at(-1)?.after).toEqual({ posted: true, reason: null });
});

test('members neither see nor post it', async () => {
  const { id } = await reject();
  expect((await ask('GET', '', 'member')).status).toBe(403);
  expect((await ask('POST', `/${id}/retry`, 'member')).status).toBe(403);
});

test.each([
  ['x', 404],
  ['0', 404],
  ['99999999999999999999', 404],
  // No route takes it, whatever it stands for.
  ['%00', 400],
])('there is no event %s: %s', async (id, status) => {
  expect((await ask('POST', `/${id}/retry`)).status).toBe(status);
});

test('Prometheus is told how much is kept, and how old the oldest of it is', async () => {
  await reject();
  const text = await (await fetch(`${pair.billing.url}/metrics`)).text();
  expect(text).toMatch(/^tollgate_usage_unbooked_events\{state="rejected",service="billing"\} [1-9]\d*$/m);
  expect(text).toMatch(/^tollgate_usage_unbooked_events\{state="waiting",service="billing"\} 0$/m);
  expect(text).toMatch(/^tollgate_usage_unbooked_oldest_seconds\{state="rejected",service="billing"\} \d/m);
});
