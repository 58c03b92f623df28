import { waitFor } from '@tollgate/harness';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { call } from '../call.ts';
import { publish, toGroup, toModel, toPool, toUpstream } from '../pools/own-pool.ts';
import { admin, type TestStack, makeKey } from '../shared-stack.ts';

/** Models that the clients are run on: their names make the simulator refuse what their vendors refuse of them. */
export const UPSTREAM_MODELS = {
  'gpt-5.1': { format: 'openai-chat', maxOutput: 128_000 },
  'mistral-large-2512': { format: 'openai-chat', maxOutput: 32_000 },
  'gpt-5.5': { format: 'openai-responses', maxOutput: 128_000 },
  'gpt-4o': { format: 'openai-responses', maxOutput: 16_384 },
  'claude-opus-4-8': { format: 'anthropic-messages', maxOutput: 128_000 },
  'claude-sonnet-4-5': { format: 'anthropic-messages', maxOutput: 64_000 },
  'gemini-3-pro-preview': { format: 'gemini', maxOutput: 65_536 },
  'gemini-2.5-pro': { format: 'gemini', maxOutput: 65_536 },
} as const satisfies Readonly<Record<string, { format: ClientProtocol; maxOutput: number }>>;

export type UpstreamModel = keyof typeof UPSTREAM_MODELS;
export const UPSTREAM_MODEL_NAMES = Object.keys(UPSTREAM_MODELS) as UpstreamModel[];

/** What clients call it: a name that none of them knows anything of. */
export const toClientName = (model: UpstreamModel): string => `via-${model.replaceAll(/[^a-z0-9]/g, '')}`;

/** Names that agents know a model of their own vendor by: they then ask for more of it. */
export const KNOWN_NAMES = ['claude-sonnet-5', 'gpt-5.5'] as const;

/**
 * Each upstream of {@link makeUpstreamModels} once more, in a group of its own in which it serves the known names.
 *
 * @returns a key for each, once the gateway serves them.
 */
export async function makeKnownNames(
  at: TestStack,
  group: string,
): Promise<Readonly<Record<UpstreamModel, string>>> {
  for (const name of KNOWN_NAMES)
    await admin(at, 'PUT', `/api/catalogue/models/${name}`, {
      vendor: 'openai',
      prices: PRICES,
      max_output_tokens: SHORTEST,
    });
  const keys: [UpstreamModel, string][] = [];
  for (const model of UPSTREAM_MODEL_NAMES) {
    const own = `${group}-${toClientName(model)}`;
    await admin(at, 'PUT', `/api/catalogue/groups/${own}`, { ratio: '1', models: KNOWN_NAMES });
    const model_map = Object.fromEntries(KNOWN_NAMES.map((name) => [name, model]));
    await admin(at, 'PUT', `/api/catalogue/pools/${own}-known?before=simulated`, {
      groups: [own],
      models: KNOWN_NAMES,
      members: [{ upstream: own, model_map }],
    });
    const { key } = await makeKey(at, { group: own });
    await untilServed(at, key, KNOWN_NAMES);
    keys.push([model, key]);
  }
  return Object.fromEntries(keys) as Record<UpstreamModel, string>;
}

async function untilServed(at: TestStack, key: string, names: readonly string[]): Promise<void> {
  for (const url of at.gatewayUrls) {
    await waitFor(async () => {
      const { text } = await call(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return names.every((name) => text.includes(name));
    }, 'the models that clients are run on');
  }
}

/** They stand for every one of the models. */
const SHORTEST = Math.min(...Object.values(UPSTREAM_MODELS).map(({ maxOutput }) => maxOutput));
const PRICES = { input: 1_000_000, cache_read: 100_000, cache_write: 2_000_000, output: 3_000_000 };

/**
 * Each model on an upstream that speaks only its format, in a group of their own.
 *
 * @returns a key of that group, once every gateway serves the models.
 */
export async function makeUpstreamModels(at: TestStack, group: string): Promise<string> {
  const models = UPSTREAM_MODEL_NAMES.map(toClientName);
  await publish(at, [
    toGroup(group, models),
    ...UPSTREAM_MODEL_NAMES.flatMap((model) => {
      const [name, { format, maxOutput }] = [toClientName(model), UPSTREAM_MODELS[model]];
      const upstream = `${group}-${name}`;
      const members = [{ upstream, model_map: { [name]: model } }];
      return [
        toUpstream(upstream, at.simulatorUrl, ['simulator-credential'], { protocols: [format] }),
        toModel(name, { prices: PRICES, max_output_tokens: maxOutput }),
        toPool(upstream, [name], { groups: [group], members }),
      ];
    }),
  ]);
  const { key } = await makeKey(at, { group });
  await untilServed(at, key, models);
  return key;
}
