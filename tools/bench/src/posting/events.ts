import { randomBytes, randomUUID } from 'node:crypto';
import type { PriceSnapshot } from '@tollgate/catalogue';
import type { UsageEvent } from '@tollgate/contracts';
import type pg from 'pg';

const ACCOUNTS = 20;
const KEYS_PER_ACCOUNT = 10;

export interface Customer {
  readonly accountId: string;
  readonly keyId: string;
}

/** Accounts with keys, straight into billing's tables. */
export async function addCustomers(
  client: pg.Client,
  keysPerAccount = KEYS_PER_ACCOUNT,
): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let account = 0; account < ACCOUNTS; account += 1) {
    const accountId = randomUUID();
    await client.query('INSERT INTO billing.account (id, name) VALUES ($1, $2)', [
      accountId,
      `Bench ${account}`,
    ]);
    for (let key = 0; key < keysPerAccount; key += 1) {
      const keyId = randomUUID();
      await client.query(
        `INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name)
         VALUES ($1, $2, 'bench', $3, 'sk-…', 'default')`,
        [keyId, accountId, randomBytes(32).toString('hex')],
      );
      customers.push({ accountId, keyId });
    }
  }
  return customers;
}

const MODELS = ['sim-chat', 'sim-responses', 'sim-claude', 'sim-gemini'];
let made = 0;

/** Events of different customers and models, as gateways publish them. */
export function makeEvents(customers: readonly Customer[], count: number): UsageEvent[] {
  return Array.from({ length: count }, () => {
    const n = (made += 1);
    const { accountId, keyId } = customers[(n * 7) % customers.length] ?? { accountId: '', keyId: '' };
    const now = Date.now();
    return {
      v: 2,
      request_id: `req_${now.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`,
      occurred_at: new Date(now).toISOString(),
      account_id: accountId,
      key_id: keyId,
      group: 'default',
      model: MODELS[n % MODELS.length] ?? '',
      pool: 'main',
      upstream: 'simulator',
      upstream_model: MODELS[n % MODELS.length] ?? '',
      protocol: 'openai-chat',
      stream: n % 2 === 0,
      snapshot_version: 1,
      lines: [
        {
          model: MODELS[n % MODELS.length] ?? '',
          counts: { input: 400 + (n % 900), cache_read: n % 300, output: 100 + (n % 500) },
        },
      ],
      usage_source: 'upstream',
      outcome: 'completed',
      http_status: 200,
      latency_ms: 900 + (n % 2_000),
      first_byte_ms: 200 + (n % 300),
    };
  });
}

/** The newest prices that pricing has published. */
export async function currentSnapshot(client: pg.Client): Promise<PriceSnapshot> {
  const { rows } = await client.query<{ version: number; catalogue: string }>(
    'SELECT version, catalogue FROM pricing.snapshot ORDER BY version DESC LIMIT 1',
  );
  const [row] = rows;
  if (!row) throw new Error('pricing has published nothing');
  return {
    version: row.version,
    catalogue: JSON.parse(row.catalogue) as PriceSnapshot['catalogue'],
    hash: '',
    published_at: '',
  };
}
