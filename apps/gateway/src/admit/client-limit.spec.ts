import { keyRecordSchema } from '@tollgate/contracts';
import { createLocalLimiter } from '@tollgate/limits';
import { buildTable, upstream } from '../../testing/forwarding.ts';
import { admit, type AdmissionDependencies } from './admit.ts';
import { createRefusals } from './refusals.ts';

const key = keyRecordSchema.parse({
  key_id: '0198f1c2-7d1e-7000-8000-000000000002',
  key_hash: '0'.repeat(64),
  account_id: '0198f1c2-7d1e-7000-8000-000000000001',
  name: 'k',
  group: 'g',
  status: 'active',
  account_status: 'active',
  expires_at: null,
  credit_limited: false,
  budgets: [],
  time_zone: 'UTC',
  limits: {},
  account_limits: {},
  models: null,
  allowed_addresses: null,
  strict: false,
  revision: 1,
});
const { table, close } = buildTable({
  upstreams: [upstream('one', 'http://127.0.0.1:9', ['a'])],
  pool: { members: [{ upstream: 'one' }] },
});
afterAll(close);

/** How many of the requests from these addresses are admitted, where one a minute is for each client. */
async function admitted(...addresses: string[]): Promise<number> {
  const local = createLocalLimiter(() => 1_000_000);
  const deps = {
    limiter: { ...local, admitLeased: () => undefined } as Partial<AdmissionDependencies['limiter']>,
    loadCredit: async () => {},
    refusals: createRefusals(),
  } as AdmissionDependencies;
  const limited = { ...table, limits: { ...table.limits, client: { requests_per_minute: 1 } } };
  let count = 0;
  for (const clientAddress of addresses) {
    const { ok } = await admit(deps, limited, { clientAddress, key, protocol: 'openai-chat', tokens: 0 });
    if (ok) count += 1;
  }
  return count;
}

test.each([
  ['one address, however it is written', ['192.0.2.1', '::ffff:192.0.2.1'], 1],
  ['all addresses of a network that IPv6 hands out as a whole', ['2001:db8::1', '2001:db8::ffff:2'], 1],
  ['two networks of IPv6', ['2001:db8:0:1::1', '2001:db8:0:2::1'], 2],
  ['two addresses', ['192.0.2.1', '192.0.2.2'], 2],
])('the limit of a client counts %s', async (_what, addresses, count) => {
  expect(await admitted(...addresses)).toBe(count);
});
