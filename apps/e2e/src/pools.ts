import { waitFor } from '@tollgate/harness';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { call } from './call.ts';
import { admin, type TestStack, makeKey } from './shared-stack.ts';

/** The credential of their upstreams. */
export const POOL_SECRET = 'simulator-credential';

/** The model that only an upstream of this format serves. */
export const modelOn = (format: ClientProtocol): string => `on-${format}`;

/**
 * For each wire format a model whose only upstream speaks only that, in a group of their own.
 *
 * @returns a key of that group, once every gateway serves the models.
 */
export async function makePools(at: TestStack, group: string): Promise<string> {
  for (const format of CLIENT_PROTOCOLS) {
    await admin(at, 'PUT', `/api/catalogue/upstreams/${group}-${format}`, {
      base_url: at.simulatorUrl,
      protocols: [format],
      credentials: [{ name: 'a', secret: POOL_SECRET }],
      allow_private_addresses: true,
    });
    await admin(at, 'PUT', `/api/catalogue/models/${modelOn(format)}`, {
      vendor: 'openai',
      prices: { input: 1_000_000, cache_read: 100_000, cache_write: 2_000_000, output: 3_000_000 },
      max_output_tokens: 4_000,
    });
  }
  await admin(at, 'PUT', `/api/catalogue/groups/${group}`, {
    ratio: '1',
    models: CLIENT_PROTOCOLS.map(modelOn),
  });
  for (const format of CLIENT_PROTOCOLS) {
    await admin(at, 'PUT', `/api/catalogue/pools/${group}-${format}?before=simulated`, {
      groups: [group],
      models: [modelOn(format)],
      members: [{ upstream: `${group}-${format}` }],
    });
  }
  const { key } = await makeKey(at, { group });
  for (const url of at.gatewayUrls) {
    await waitFor(async () => {
      const { text } = await call(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return CLIENT_PROTOCOLS.every((format) => text.includes(modelOn(format)));
    }, 'the models of every format');
  }
  return key;
}
