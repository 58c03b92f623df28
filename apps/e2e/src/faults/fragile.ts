import { waitFor } from '@tollgate/harness';
import { call } from '../call.ts';
import { admin, type TestStack, makeKey } from '../shared-stack.ts';
import { PRICE } from './billed-client.ts';

/** A group whose keys have nobody to fall back on, and one whose keys have the simulator. */
export const SINGLE = 'fault-single';
export const GUARDED = 'fault-guarded';

/** The model of a fault; its upstream is named like it. */
export const toModelName = (fault: string): string => `fault-${fault}`;

/**
 * For each fault a model with an upstream of its own, so that what one does to an upstream's standing is nothing to the
 * others.
 *
 * @param idleMs how long an upstream may be silent.
 */
export async function publishFaults(
  at: TestStack,
  faults: readonly string[],
  addressOf: (fault: string) => string,
  idleMs = 1_000,
): Promise<void> {
  const models = faults.map(toModelName);
  for (const fault of faults) {
    const model = toModelName(fault);
    await admin(at, 'PUT', `/api/catalogue/upstreams/${model}`, {
      base_url: addressOf(fault),
      protocols: ['openai-chat'],
      ...UPSTREAM_SECRET,
      connect_timeout_ms: 1_000,
      first_byte_timeout_ms: 1_000,
      idle_timeout_ms: idleMs,
    });
    await admin(at, 'PUT', `/api/catalogue/models/${model}`, {
      vendor: 'openai',
      prices: { input: Number(PRICE.input), output: Number(PRICE.output) },
      max_output_tokens: 4_000,
    });
  }
  for (const group of [SINGLE, GUARDED])
    await admin(at, 'PUT', `/api/catalogue/groups/${group}`, { ratio: '1', models });
  for (const model of models) {
    const pool = (group: string, members: object[]) =>
      admin(at, 'PUT', `/api/catalogue/pools/${group}-${model}?before=simulated`, {
        groups: [group],
        models: [model],
        members,
        ...POOL_SETTINGS,
      });
    await pool(SINGLE, [{ upstream: model }]);
    await pool(GUARDED, [{ upstream: model }, { upstream: 'simulator', priority: 1 }]);
  }
  const { key } = await makeKey(at, { group: GUARDED });
  for (const url of at.gatewayUrls) {
    await waitFor(async () => {
      const { text } = await call(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return models.every((model) => text.includes(`"${model}"`));
    }, 'the models of every fault');
  }
}

/** The upstreams of these tests listen on this machine. */
const UPSTREAM_SECRET = {
  credentials: [{ name: 'default', secret: 'a-credential' }],
  allow_private_addresses: true,
};
/** Every request may be tried again. */
const POOL_SETTINGS = { retry_percent: 100 };
