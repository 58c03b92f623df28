import { createLocalLimiter } from '@tollgate/limits';
import { buildTable, upstream } from '../../testing/forwarding.ts';
import { keyRecord } from '../../testing/keys.ts';
import { admit, type AdmissionDependencies } from './admit.ts';
import { createRefusals } from './refusals.ts';

const key = keyRecord({ credit_limited: false });
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
