import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startMariadb, waitFor } from '@tollgate/harness';
import { createConnection } from 'mysql2/promise';
import OpenAI from 'openai';
import { openBooks } from '../books.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { ownName, type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import {
  makeMysql,
  makePostgres,
  makeSqlite,
  type NewApiDatabase,
  type NewApiRows,
} from './new-api-database.ts';
import { type DatabaseCase, priceListTests } from './new-api-price-list.ts';
import { runProgram, tollgate } from './tollgate.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
let first: OwnSimulator;
let second: OwnSimulator;
beforeAll(async () => {
  [first, second] = await Promise.all([startOwnSimulator(), startOwnSimulator()]);
});
afterAll(async () => {
  await Promise.all([first.close(), second.close(), books.close()]);
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const secret = (): string => Array.from({ length: 48 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** A small new-api: two channels that serve one model in two groups, and one that cannot come over. */
function newApi() {
  const [chat, costly, group] = [ownName('gpt-moved'), ownName('gpt-costly'), ownName('team')];
  const keys = { plain: secret(), limited: secret(), off: secret() };
  const user = randomInt(1_000_000, 2_000_000);
  const channel = { type: 1, models: `${chat},${costly}`, group: `${group},${group}-vip` };
  const rows: NewApiRows = {
    channels: [
      {
        ...channel,
        id: user,
        name: 'main line',
        key: 'upstream-key-one\nupstream-key-two',
        base_url: first.url,
        priority: 10,
        weight: 5,
        model_mapping: JSON.stringify({ [chat]: 'half-way', 'half-way': 'their-model' }),
        channel_info: JSON.stringify({ is_multi_key: true, multi_key_status_list: { '1': 2 } }),
      },
      {
        ...channel,
        id: user + 1,
        name: 'spare',
        key: 'spare-key',
        base_url: `${second.url}/v1`,
        priority: 1,
      },
      { ...channel, id: user + 2, type: 37, name: 'flow', key: 'flow-key' },
    ],
    users: [
      { id: user, username: 'ada', display_name: 'Ada', password: 'hash', quota: 5_000_001, group },
      { id: user + 1, username: 'idle', password: 'hash', quota: 0, group },
    ],
    tokens: [
      { id: 1, user_id: user, key: keys.plain, name: 'plain', unlimited_quota: true },
      {
        id: 2,
        user_id: user,
        key: keys.limited,
        name: 'limited',
        remain_quota: 250_000,
        unlimited_quota: false,
        group: `${group}-vip`,
        model_limits_enabled: true,
        model_limits: `${chat},gone`,
      },
      { id: 3, user_id: user, key: keys.off, name: 'off', status: 2, unlimited_quota: true },
      { id: 4, user_id: user, key: 'short', name: 'own key', unlimited_quota: true },
    ],
    options: [
      { key: 'ModelRatio', value: JSON.stringify({ [chat]: 1.25 }) },
      { key: 'CompletionRatio', value: JSON.stringify({ [chat]: 4 }) },
      { key: 'ModelPrice', value: JSON.stringify({ [costly]: 0.05 }) },
      { key: 'GroupRatio', value: JSON.stringify({ [group]: 1, [`${group}-vip`]: 0.5 }) },
    ],
  };
  return { chat, costly, group, keys, user, rows };
}

const newSqlite = (): Promise<NewApiDatabase> =>
  makeSqlite(join(mkdtempSync(join(tmpdir(), 'tollgate-import-')), 'one-api.db'));
async function sqliteOf(rows: NewApiRows): Promise<string> {
  const { where, insert } = await newSqlite();
  await insert(rows);
  return where;
}
const client = (key: string) =>
  new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: `sk-${key}`, maxRetries: 0 });
const ask = (key: string, model: string) =>
  client(key)
    .chat.completions.create({ model, messages: [{ role: 'user', content: 'One two three' }] })
    .withResponse();
/** What imports have made; other tests use the same stack at the same time. */
const counts = () =>
  books.one(`SELECT count(DISTINCT a.id) AS accounts, count(k.id) AS keys,
      (SELECT count(*) FROM billing.ledger_transaction WHERE idempotency_key LIKE 'new-api-opening-%') AS grants,
      (SELECT count(*) FROM pricing.draft WHERE reason = 'Moved from new-api') AS versions
    FROM billing.account a LEFT JOIN billing.api_key k ON k.account_id = a.id WHERE a.name LIKE '%(new-api %)'`);

test('a dry run tells what would come over and what not, and changes nothing', async () => {
  const { rows, chat, keys } = newApi();
  const path = await sqliteOf(rows);
  const before = await counts();
  const { exit, out, err } = await tollgate(['import', 'new-api', '--database', path, '--dry-run']);
  expect(exit).toBe(0);
  expect(err).toContain('Nothing was changed');
  expect(out).toContain('Found: 2 models, 2 groups, 2 upstreams, 2 pools, 1 accounts, 3 keys.');
  expect(out).toContain(`+ models ${chat}`);
  expect(out).toMatch(/\+ Ada \(new-api \d+\): active, 10\.000002 USD, 3 keys/);
  expect(out).toMatch(/! channel \d+ "flow": left out, its type is Dify: it speaks a format of its own/);
  expect(out).toMatch(/! channel \d+ "main line": key 2 is disabled and left out/);
  expect(out).toContain('! token 4 "own key": left out, its key is not "sk-" and 16 to 128');
  expect(out).toContain('! token 2 "limited": may no longer use gone, which did not come over');
  for (const hidden of ['upstream-key-one', keys.plain, keys.limited])
    expect(out + err).not.toContain(hidden);
  expect(await counts()).toEqual(before);
});

test('with --strict nothing is made where anything is lost, and the exit says so', async () => {
  const path = await sqliteOf(newApi().rows);
  const before = await counts();
  for (const more of ['--dry-run', '--apply']) {
    const { exit, err } = await tollgate(['import', 'new-api', '--database', path, more, '--strict']);
    expect([exit, err]).toEqual([1, expect.stringContaining('do not come over as they were')]);
  }
  expect(await counts()).toEqual(before);
});

const mariadb = await startMariadb();
afterAll(() => mariadb?.stop());
const newMysql = async (url: string): Promise<NewApiDatabase> => {
  const connection = await createConnection({ uri: url });
  const name = `relay_${randomInt(1_000_000)}`;
  await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  await connection.end();
  return makeMysql(new URL(name, url).href);
};
const DATABASES: DatabaseCase[] = [
  ['an SQLite file', newSqlite],
  ['a PostgreSQL', async () => makePostgres(await createDatabase(at.databaseUrl, ownName('new-api')))],
  ...(mariadb ? [['a MariaDB', () => newMysql(mariadb.url)] satisfies DatabaseCase] : []),
];

priceListTests(DATABASES);

describe.each(DATABASES)('after the import of %s', (_kind, make) => {
  const moved = { ...({} as ReturnType<typeof newApi>) };
  let database: string;
  beforeAll(async () => {
    Object.assign(moved, newApi());
    const { where, insert } = await make();
    await insert(moved.rows);
    database = where;
    const { exit, err } = await runProgram(['import', 'new-api', '--database', database, '--apply']);
    expect([exit, err]).toEqual([0, '']);
  });

  test('a client with its old key goes on unchanged, and is billed what it was', async () => {
    const { chat, group, keys, user } = moved;
    const { response, data } = await waitFor(
      () =>
        ask(keys.plain, chat).catch((error: Error & { status?: number }) => {
          if (error.status === 404) return undefined;
          throw error;
        }),
      'the model that moved in',
    );
    expect(data.choices[0]?.message.content).toContain('three');
    const row = await books.usage(response.headers.get('x-request-id') ?? '');
    expect(row).toMatchObject({ group_name: group, model: chat, upstream: `main-line-${user}` });
    // A ratio of 1.25 is 2.50 USD for a million tokens, four times that for output.
    expect(row.cost_pico).toBe(String(3 * 2_500_000 + 4 * 10_000_000));
    const [sent] = (await first.requests('upstream-key-one')).slice(-1);
    expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({ model: 'their-model' });

    const costly = await ask(keys.plain, moved.costly);
    const fixed = await books.usage(costly.response.headers.get('x-request-id') ?? '');
    expect(fixed.cost_pico).toBe(String(50_000_000_000));
  });

  test('groups, budgets, models and status are what they were', async () => {
    const { chat, costly, group, keys } = moved;
    const { response } = await ask(keys.limited, chat);
    const row = await books.usage(response.headers.get('x-request-id') ?? '');
    expect(row).toMatchObject({ group_name: `${group}-vip`, group_ratio: '0.5' });
    await expect(ask(keys.limited, costly)).rejects.toMatchObject({ status: 400 });
    await expect(ask(keys.off, chat)).rejects.toMatchObject({ status: 401 });
    const { items } = await admin(
      at,
      'GET',
      `/api/accounts?find=${encodeURIComponent(`(new-api ${moved.user})`)}`,
    );
    expect(items).toMatchObject([{ name: `Ada (new-api ${moved.user})`, mode: 'prepaid' }]);
    const list = await admin(at, 'GET', `/api/keys?account_id=${items[0]?.id}`);
    expect(list.items.map(({ name, status, budgets }) => ({ name, status, budgets }))).toEqual(
      expect.arrayContaining([
        { name: 'plain', status: 'active', budgets: { total_usd: null, daily_usd: null, monthly_usd: null } },
        {
          name: 'limited',
          status: 'active',
          budgets: { total_usd: '0.50', daily_usd: null, monthly_usd: null },
        },
        { name: 'off', status: 'disabled', budgets: { total_usd: null, daily_usd: null, monthly_usd: null } },
      ]),
    );
  });

  test('the spare channel serves when the first one fails', async () => {
    await first.script({ status: 500 });
    const { response } = await ask(moved.keys.plain, moved.chat);
    const row = await books.usage(response.headers.get('x-request-id') ?? '');
    expect(row).toMatchObject({ upstream: `spare-${moved.user + 1}` });
    await first.reset();
  });

  test('the import again changes nothing', async () => {
    const before = await counts();
    const { exit, out } = await tollgate(['import', 'new-api', '--database', database, '--apply']);
    expect(exit).toBe(0);
    expect(out).toContain('The catalogue was complete already.');
    expect(out).toContain('Accounts: 0 made, 1 were here. Keys: 0 made, 3 were here.');
    expect(await counts()).toEqual(before);
  });
});

test('what is no database of new-api is refused with what to do', async () => {
  const missing = await tollgate(['import', 'new-api', '--database', 'no-such-file.db']);
  expect(missing).toMatchObject({
    exit: 1,
    err: expect.stringContaining('There is no file no-such-file.db') as string,
  });
  const other = await runProgram(['import', 'new-api', '--database', at.databaseUrl]);
  expect(other).toMatchObject({ exit: 1, err: expect.stringContaining('channels') as string });
});
