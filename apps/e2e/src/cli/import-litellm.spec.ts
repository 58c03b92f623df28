import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { createDatabase, waitFor } from '@tollgate/harness';
import OpenAI from 'openai';
import pg from 'pg';
import { openBooks } from '../books.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { keyFor, ownName, type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { tollgate } from './tollgate.ts';

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

/** A small LiteLLM proxy: a model with a spare deployment, one of another vendor, and some that cannot come over. */
function liteLlm() {
  const [chat, claude] = [ownName('gpt-lite'), ownName('claude-lite')];
  const config = `
# A proxy of a team.
model_list:
  - model_name: ${chat}
    litellm_params:
      model: openai/gpt-4o-mini
      api_base: ${first.url}/v1
      api_key: os.environ/LITE_FIRST_KEY
      rpm: 6000
      order: 1
      input_cost_per_token: 0.00000015
      output_cost_per_token: 6e-7
      cache_read_input_token_cost: 0.000000075
  - model_name: ${chat}
    litellm_params:
      model: openai/gpt-4o-mini-2024-07-18
      api_base: ${second.url}/v1
      api_key: spare-key-in-the-file
      order: 2
    model_info: { id: spare, mode: chat }
  - model_name: ${claude}
    litellm_params:
      model: anthropic/claude-3-5-haiku-20241022
      api_base: ${second.url}
      api_key: os.environ/LITE_CLAUDE_KEY
      max_tokens: 4096
    model_info:
      input_cost_per_token: 0.0000008
      output_cost_per_token: 0.000004
  - model_name: ${chat}-own
    litellm_params: { model: sagemaker/own-model }
  - model_name: ${chat}-unpriced
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/LITE_FIRST_KEY }
router_settings:
  routing_strategy: simple-shuffle
  num_retries: 2
  redis_host: os.environ/REDIS_HOST
litellm_settings:
  drop_params: true
  fallbacks: [{ "${chat}": ["${claude}", "${chat}-own"] }]
  cache: true
general_settings:
  master_key: os.environ/LITELLM_MASTER_KEY
  database_url: os.environ/DATABASE_URL
`;
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-import-')), 'config.yaml');
  writeFileSync(path, config);
  return { chat, claude, path, group: ownName('team') };
}

const SECRETS = { LITE_FIRST_KEY: 'first-key', LITE_CLAUDE_KEY: 'claude-key' };
const importOf = (path: string, group: string, more: readonly string[], env = {}) =>
  tollgate(['import', 'litellm', '--config', path, '--group', group, ...more], { env });
const published = async () =>
  Number(
    (await books.one(`SELECT count(*) FROM pricing.draft WHERE reason = 'Moved from litellm'`))['count'],
  );

test('a dry run tells what would come over and what not, and changes nothing', async () => {
  const { chat, claude, path, group } = liteLlm();
  const before = await published();
  const { exit, out, err } = await importOf(path, group, ['--dry-run']);
  expect(exit).toBe(0);
  expect(err).toContain('Nothing was changed');
  expect(out).toContain('Found: 2 models, 1 groups, 3 upstreams, 2 pools, 0 accounts, 0 keys.');
  for (const line of [`+ models ${chat}`, `+ models ${claude}`, `+ groups ${group}`])
    expect(out).toContain(line);
  expect(out).toMatch(
    /! deployment 4 ".*-own": left out, its provider is sagemaker: it speaks a format of its own/,
  );
  expect(out).toMatch(/! model .*-unpriced: left out, the file has no input_cost_per_token/);
  expect(err).toContain("Virtual keys, teams and spend are in LiteLLM's database and do not come over;");
  expect(out + err).not.toContain('spare-key-in-the-file');
  expect(await published()).toBe(before);
});

test('a secret that is not in the environment is asked for by name, and nothing is published without it', async () => {
  const { path, group } = liteLlm();
  const before = await published();
  const { exit, err } = await importOf(path, group, ['--apply'], { LITE_CLAUDE_KEY: 'claude-key' });
  expect(exit).toBe(1);
  expect(err).toContain('LITE_FIRST_KEY is not set');
  expect(await published()).toBe(before);
});

test('with --strict nothing is made where anything is lost, and the exit says so', async () => {
  const { path, group } = liteLlm();
  const before = await published();
  for (const more of [['--dry-run'], ['--apply']]) {
    const { exit, err } = await importOf(path, group, [...more, '--strict'], SECRETS);
    expect([exit, err]).toEqual([1, expect.stringContaining('do not come over as they were')]);
  }
  expect(await published()).toBe(before);
});

test('virtual keys of its database go on as they are, with their budgets, limits and models', async () => {
  const { chat, path, group } = liteLlm();
  const key = `sk-${randomBytes(16).toString('base64url')}`;
  const team = ownName('team');
  const url = await createDatabase(at.databaseUrl, ownName('litellm'));
  const client = new pg.Client(url);
  await client.connect();
  // As its own schema makes them.
  await client.query(`CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, team_alias text, spend double precision DEFAULT 0,
      max_budget double precision, budget_duration text, models text[], blocked boolean DEFAULT false, tpm_limit bigint,
      members_with_roles jsonb DEFAULT '{}');
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_name text, key_alias text,
      spend double precision DEFAULT 0, expires timestamp, models text[], user_id text, team_id text,
      max_parallel_requests int, tpm_limit bigint, rpm_limit bigint, max_budget double precision, budget_duration text,
      blocked boolean, aliases jsonb DEFAULT '{}', allowed_routes text[], created_at timestamp DEFAULT now())`);
  const capped = ownName('capped');
  await client.query(
    `INSERT INTO "LiteLLM_TeamTable" VALUES ($1, 'Blue team', 0, NULL, NULL, NULL, false, NULL, NULL),
      ($2, 'Capped', 2.5, 10, NULL, $3, false, 1000, '{"a":1}')`,
    [team, capped, [chat, 'of-another-provider']],
  );
  const insert = `INSERT INTO "LiteLLM_VerificationToken"
    (token, key_name, key_alias, spend, models, team_id, rpm_limit, max_budget, budget_duration, blocked)
    VALUES ($1, 'sk-...abcd', $2, $3, $4, $5, $6, $7, $8, $9)`;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  await client.query(insert, [hash(key), 'nightly', 0.25, [chat], team, 600, 10, null, null]);
  await client.query(insert, [hash(`${key}2`), 'daily', 3, ['all-team-models'], team, null, 5, '1d', true]);
  await client.query(insert, [
    hash(`${key}3`),
    'of all',
    0,
    ['all-team-models'],
    capped,
    null,
    null,
    null,
    null,
  ]);
  await client.query(
    `UPDATE "LiteLLM_VerificationToken" SET allowed_routes = '{/v1/models}' WHERE key_alias = 'of all'`,
  );
  await client.end();
  const { exit, out, err } = await importOf(path, group, ['--apply', '--database', url], SECRETS);
  expect([exit, err]).toEqual([0, '']);
  expect(out).toContain('! team "Capped": its tpm_limit did not come over');
  expect(out).toContain('! key "of all": its allowed_routes did not come over');
  expect(out).toContain('! key "of all": may no longer use of-another-provider');
  expect(out).not.toContain('created_at');
  const [bounded] = (await admin(at, 'GET', `/api/accounts?find=${encodeURIComponent(capped)}`)).items;
  expect(bounded).toMatchObject({ mode: 'prepaid', balance_usd: '7.50' });
  const [ofAll] = (await admin(at, 'GET', `/api/keys?account_id=${bounded?.id}`)).items;
  expect(ofAll).toMatchObject({ name: 'of all', models: [chat] });
  expect(out + err).not.toContain(hash(key));
  const { items } = await admin(at, 'GET', `/api/accounts?find=${encodeURIComponent(team)}`);
  expect(items).toMatchObject([{ name: `Blue team (litellm team ${team})`, mode: 'postpaid' }]);
  const list = await admin(at, 'GET', `/api/keys?account_id=${items[0]?.id}`);
  const byName = new Map(list.items.map((each) => [each.name, each]));
  expect(byName.get('nightly')).toMatchObject({
    status: 'active',
    models: [chat],
    budgets: { total_usd: '9.75', daily_usd: null },
    limits: { requests_per_minute: 600 },
  });
  expect(byName.get('daily')).toMatchObject({
    status: 'disabled',
    models: null,
    budgets: { total_usd: null, daily_usd: '5.00' },
  });
  const answer = await waitFor(
    () =>
      new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 }).chat.completions
        .create({ model: chat, messages: [{ role: 'user', content: 'One two' }] })
        .catch((error: Error & { status?: number }) => {
          if (error.status === 404) return undefined;
          throw error;
        }),
    'the model that moved in',
  );
  expect(answer.choices[0]?.message.content).toContain('two');
}, 60_000);

describe('after the import', () => {
  let moved: ReturnType<typeof liteLlm>;
  let key: string;
  beforeAll(async () => {
    moved = liteLlm();
    const { exit, out, err } = await importOf(moved.path, moved.group, ['--apply'], SECRETS);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toMatch(/The catalogue is published as version \d+\./);
    key = await keyFor(at, moved.group, [moved.chat, moved.claude]);
  });
  beforeEach(() => Promise.all([first.reset(), second.reset()]));

  const ask = (model: string) =>
    new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 }).chat.completions
      .create({ model, messages: [{ role: 'user', content: 'One two three' }] })
      .withResponse();
  const rowOf = (response: Response) => books.usage(response.headers.get('x-request-id') ?? '');

  test('a client works through the model, which has its own name and price here and its old one upstream', async () => {
    const { data, response } = await ask(moved.chat);
    expect(data.choices[0]?.message.content).toContain('three');
    const row = await rowOf(response);
    expect(row).toMatchObject({
      model: moved.chat,
      group_name: moved.group,
      upstream: `litellm-${moved.chat}-1`,
    });
    expect(row.cost_pico).toBe(String(3 * 150_000 + 4 * 600_000));
    const [sent] = await first.requests('first-key');
    expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({ model: 'gpt-4o-mini' });
  });

  test('the deployment that is second in order serves when the first one fails, with the key of the file', async () => {
    await first.script({ status: 500 });
    const { response } = await ask(moved.chat);
    expect(await rowOf(response)).toMatchObject({ upstream: `litellm-${moved.chat}-2` });
    const [sent] = await second.requests('spare-key-in-the-file');
    expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({ model: 'gpt-4o-mini-2024-07-18' });
  });

  test("the vendor's own client works through the other model", async () => {
    const anthropic = new Anthropic({ baseURL: at.baseUrl, apiKey: key, maxRetries: 0 });
    const answer = await anthropic.messages.create({
      model: moved.claude,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'One two three' }],
    });
    expect(JSON.stringify(answer.content)).toContain('three');
    const [sent] = await second.requests('claude-key');
    expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({ model: 'claude-3-5-haiku-20241022' });
  });

  test('its fallback stands in when every deployment fails', async () => {
    await first.script({ status: 500 });
    await second.script({ status: 500 }, { credential: 'spare-key-in-the-file' });
    const { response } = await ask(moved.chat);
    expect(response.headers.get('x-tollgate-fallback')).toBeTruthy();
    expect(await rowOf(response)).toMatchObject({ model: moved.claude });
  });

  test('the import again changes nothing', async () => {
    const { exit, out } = await importOf(moved.path, moved.group, ['--apply'], SECRETS);
    expect(exit).toBe(0);
    expect(out).toContain('The catalogue was complete already.');
  });
});

test('a file that is none of LiteLLM is refused with its line', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-import-')), 'config.yaml');
  writeFileSync(path, 'model_list:\n  - litellm_params: { model: openai/gpt-4o }\n');
  const { exit, err } = await importOf(path, 'default', []);
  expect(exit).toBe(1);
  expect(err).toMatch(/config\.yaml:2:\d+: model_list\.0\.model_name/);
});
