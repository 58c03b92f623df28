import pg from 'pg';
import type { OwnStack } from './own-stack.ts';

const KEYS = 100_000;
const MODELS = 1_000;

/** Fills a stack with lists as long as those of a large deployment. */
export async function seedLongLists(stack: OwnStack): Promise<void> {
  await seedKeys(stack);
  await seedModels(stack);
}

async function seedKeys({ databaseUrl, accountId }: OwnStack): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO billing.api_key (id, account_id, owner_id, name, key_hash, masked, group_name, spent_pico, last_used_at,
       expires_at, created_at)
     SELECT gen_random_uuid(), $1, (SELECT id FROM billing.app_user LIMIT 1), 'Key number ' || n,
       encode(sha256(n::text::bytea), 'hex'), 'sk-' || left(md5(n::text), 4) || '…' || right(md5(n::text), 4), 'default',
       (n * 7919 % 1000003)::numeric * 1000000, now() - (n * 7919 % 100003 + 1) * interval '1 minute',
       CASE WHEN n % 10 = 7 THEN now() + (n * 7919 % 100003 + 1) * interval '1 minute' END, now() - n * interval '1 minute'
     FROM generate_series(1, $2) AS n`,
    [accountId, KEYS],
  );
  await client.query(
    'VACUUM ANALYZE billing.api_key, billing.key_text, billing.key_order, billing.key_place',
  );
  await client.end();
}

/** Models that the group of everybody has, served by the simulator. */
async function seedModels({ baseUrl, admin }: OwnStack): Promise<void> {
  const signedIn = await call(`${baseUrl}/api/auth/login`, 'POST', admin);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const put = (section: string, entry: object) => ({ op: 'put', section, entry });
  const models = Array.from({ length: MODELS }, (_none, number) => ({
    name: `model-${number}`,
    vendor: 'many-models',
    // Dearer than all that a new deployment has, the last one most.
    prices: { input: 100_000_000 + number * 1_000, output: 400_000_000 + number * 1_000 },
  }));
  const changes = [
    put('vendors', { name: 'many-models' }),
    ...models.map((model) => put('models', model)),
    put('groups', { name: 'default', ratio: '1', models: ['*'] }),
    put('pools', { name: 'many', groups: ['*'], models: ['*'], members: [{ upstream: 'simulator' }] }),
  ];
  await call(`${baseUrl}/api/catalogue/drafts/many`, 'PUT', { reason: 'many models', changes }, cookie);
  await call(`${baseUrl}/api/catalogue/drafts/many/publish`, 'POST', {}, cookie);
}

async function call(url: string, method: string, body: object, cookie = ''): Promise<Response> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
  if (!answer.ok)
    throw new Error(`${method} ${url} was answered with ${answer.status}: ${await answer.text()}`);
  return answer;
}
