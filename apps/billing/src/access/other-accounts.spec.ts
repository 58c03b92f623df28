import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLIC, type Resource, type Route, SERVICES } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { isAllowed } from '@tollgate/vocabulary';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { type At, exported } from '../../testing/exports.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { requestRecord } from '../../testing/request-records.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { createRequestNotes } from '../requests/note-batch.ts';

// Every route of the contract that a member may call and that names something is called by a member with what is
// another's: a new one is in it by itself. Whose it is calls the same afterwards, which shows that it was there.

const OPERATIONS: [string, Route][] = Object.values<Resource>(SERVICES.billing.resources)
  .flatMap((resource) => Object.entries(resource))
  .filter(([, { permission }]) => permission !== PUBLIC && isAllowed('member', permission));

const naming = OPERATIONS.filter(([, { account, params }]) => account ?? params)
  // What is removed is of no use for the rest.
  .toSorted(([, one], [, other]) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));

let directory: string;
let pair: Pair;
let stranger: At;
let theirs: Session;
let other: At;
/** Of the same account as what is another's. */
let colleague: At;
/** What is another's, by its place in a path. */
const things = new Map<string, string>([['statements/:month', new Date().toISOString().slice(0, 7)]]);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-exports-'));
  pair = await startPair(() => Promise.resolve({ EXPORT_DIR: directory }));
  const { environment, billing } = pair;
  const as = async (email: string): Promise<At> => ({
    url: billing.url,
    cookie: await signIn(billing.url, email),
  });
  const { email } = await addPerson(environment, 'stranger@other.example', 'member');
  stranger = await as(email);
  theirs = await addPerson(environment, 'other@other.example', 'member');
  other = await as(theirs.email);
  // Two, so that one can be ended.
  await as(theirs.email);
  const accountId = theirs.account_id;
  await addPerson(environment, 'colleague@other.example', 'member', accountId);
  colleague = await as('colleague@other.example');
  const passkey = uuidv7();
  await environment.database.query(
    `INSERT INTO billing.passkey (id, user_id, credential_id, public_key, counter, transports, name)
     VALUES ($1, $2, 'credential', '\\x00', 0, '{}', 'a phone')`,
    [passkey, theirs.user_id],
  );
  const [session] = await environment.database.query<{ id: string }[]>(
    'SELECT id FROM billing.session WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1',
    [theirs.user_id],
  );
  const paid = await fetch(`${billing.url}/api/ledger/payments`, {
    method: 'POST',
    headers: {
      cookie: (await as(environment.first.email)).cookie,
      'content-type': 'application/json',
      'idempotency-key': 'for-another',
    },
    body: JSON.stringify({ account_id: accountId, amount_usd: '1', reason: 'paid' }),
  });
  const { number } = (await paid.json()) as { number: number };
  const { job } = await exported(other, {
    kind: 'usage',
    format: 'csv',
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  });
  const key = await addKey(environment.database, { accountId, ownerId: theirs.user_id });
  const refused = requestRecord({
    request_id: `req_${Date.now().toString(16).padStart(12, '0').padEnd(32, '0')}`,
    occurred_at: new Date().toISOString(),
    account_id: accountId,
    key_id: key.id,
  });
  await createRequestNotes(environment.database).note({ id: uuidv7(), records: [refused], counts: [] });
  things
    .set('accounts/:id', accountId)
    .set('keys/:id', key.id)
    .set('requests/:id', refused.request_id)
    .set('exports/:id', job.id)
    .set('sessions/:session', session?.id ?? '')
    .set('passkeys/:passkey', passkey)
    .set('transactions/:number', String(number));
}, 120_000);
afterAll(async () => {
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Calls a route about what is another's. */
async function callAbout(at: At, route: Route): Promise<{ status: number; text: string }> {
  const { method, path, account, body, headers } = route;
  const url = new URL(
    path.replace(/(\w+)\/:\w+/g, (place, before: string) => `${before}/${things.get(place) ?? place}`),
    at.url,
  );
  const [example = {}] = (body?.meta()?.examples ?? []) as object[];
  const named = account && { [account.name]: theirs.account_id };
  if (account?.in === 'query') url.searchParams.set(account.name, theirs.account_id);
  const answer = await fetch(url, {
    method,
    headers: {
      cookie: at.cookie,
      ...(headers && { 'idempotency-key': crypto.randomUUID() }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify({ ...example, ...(account?.in === 'body' && named) }) }),
  });
  return { status: answer.status, text: await answer.text() };
}

test('for every place in a path there is something of another that stands there', () => {
  const places = naming.flatMap(([, { path }]) => [...path.matchAll(/\w+\/:\w+/g)].map(([place]) => place));
  expect(places.filter((place) => !things.has(place))).toEqual([]);
});

test.each(OPERATIONS.filter(([, { params, ofOthers }]) => params && ofOthers))(
  '%s: the key of another person of the same account is not there for a member',
  async (_name, route) => {
    const { status, text } = await callAbout(colleague, route);
    expect({ status, text }).toEqual({ status: 404, text: expect.stringContaining('There is no such key') });
  },
);

test.each(['/api/keys', '/api/keys?find=a', '/api/search?find=a'])(
  'nor is it in %s, which holds the account’s own and those of who asks',
  async (path) => {
    const { database } = pair.environment;
    const shared = await addKey(database, { accountId: theirs.account_id });
    const { body } = await call<unknown>(colleague, 'GET', path);
    expect(JSON.stringify(body)).not.toContain(things.get('keys/:id'));
    expect(JSON.stringify(body)).toContain(shared.id);
  },
);

test.each(naming)('%s: what is of another account is not there for a member', async (_name, route) => {
  const { status, text } = await callAbout(stranger, route);
  const refusals = route.account ? [403] : [403, 404];
  // The text tells of what went wrong.
  expect({ text, isRefused: refusals.includes(status) }).toEqual({ text, isRefused: true });
  const own = await callAbout(other, route);
  expect({ own, isThere: ![401, 403, 404].includes(own.status) }).toEqual({ own, isThere: true });
});

test('who may name an account in a query or a body is checked by the contract', () => {
  const unchecked = OPERATIONS.filter(([, { account, query, body }]) => {
    const fields = { ...query?.shape, ...(body && 'shape' in body ? (body.shape as object) : {}) };
    return account === undefined && Object.keys(fields).some((field) => /^account(_id|s)?$/.test(field));
  });
  expect(unchecked.map(([name]) => name)).toEqual([]);
});

test('a list without an account named holds nothing of another', async () => {
  const holding: string[] = [];
  for (const [name, { method, path, params }] of OPERATIONS) {
    if (method !== 'GET' || params) continue;
    const { body } = await call<unknown>(stranger, method, path).catch(() => ({ body: null }));
    const text = JSON.stringify(body);
    for (const place of ['accounts/:id', 'keys/:id', 'exports/:id', 'sessions/:session', 'passkeys/:passkey'])
      if (text.includes(things.get(place) ?? '')) holding.push(`${name}: ${place}`);
  }
  expect(holding).toEqual([]);
});
