import { CLIENT_PROTOCOLS, type ClientProtocol } from '@tollgate/vocabulary';
import { grant } from '../credit/customers.ts';
import { admin, makeKey, type TestStack } from '../shared-stack.ts';
import { keyFor, ownName, putModel, putPool, putUpstream } from '../pools/own-pool.ts';

/** The same prices twice: as the catalogue has them, and in USD as the vendor's page says them. */
const LIST = {
  prices: {
    input: 3_000_000,
    cache_read: 300_000,
    cache_write: 3_750_000,
    cache_write_1h: 6_000_000,
    output: 15_000_000,
  },
  unit_prices: {
    searches: 10_000_000_000,
    fetches: 1_000_000_000,
    file_searches: 2_500_000_000,
    container_sessions: 30_000_000_000,
  },
  service_tiers: { priority: '2', fast: '6', flex: '0.5', ultrafast: '3.5', scale: '1.25' },
  regions: { us: '1.1', eu: '1.15' },
};
const AT_VENDOR = {
  per_million: { input: '3', cached_input: '0.3', cache_write: '3.75', cache_write_1h: '6', output: '15' },
  per_thousand: { search: '10', fetch: '1', file_search: '2.5', container: '30' },
  tiers: { priority: '2', fast: '6', flex: '0.5', ultrafast: '3.5', scale: '1.25' },
  regions: { us: '1.1', eu: '1.15' },
};

/** Models that draw, their prices twice as well. */
const DRAWING = {
  'gpt-image-1': {
    prices: {
      input: 5_000_000,
      input_image: 10_000_000,
      cache_read: 1_250_000,
      cache_read_image: 2_500_000,
      output: 8_000_000,
      output_image: 40_000_000,
    },
    // Of the request of a model that draws itself; here another one asked.
    request_price: 7_000,
  },
  'gpt-image-1-mini': {
    prices: {
      input: 2_000_000,
      input_image: 2_500_000,
      cache_read: 200_000,
      cache_read_image: 250_000,
      output: 4_000_000,
      output_image: 8_000_000,
    },
  },
};
const DRAWING_AT_VENDOR = {
  'gpt-image-1': {
    per_million: {
      input: '5',
      image_input: '10',
      cached_input: '1.25',
      cached_image_input: '2.5',
      output: '8',
      image_output: '40',
    },
  },
  'gpt-image-1-mini': {
    per_million: {
      input: '2',
      image_input: '2.5',
      cached_input: '0.2',
      cached_image_input: '0.25',
      output: '4',
      image_output: '8',
    },
  },
};

const FEATURES: Readonly<Record<ClientProtocol, readonly string[]>> = {
  'openai-chat': ['web_search', 'service_tier'],
  'openai-responses': ['web_search', 'file_search', 'code_execution', 'image_generation', 'service_tier'],
  'anthropic-messages': [
    'web_search',
    'web_fetch',
    'code_execution',
    'service_tier',
    'speed',
    'inference_geo',
  ],
  gemini: ['web_search', 'service_tier'],
};

export interface PricedModels {
  readonly models: Readonly<Record<ClientProtocol, string>>;
  readonly group: string;
  readonly key: string;
  readonly accountId: string;
}

/** For each format a model that sells all that its answers tell, of an upstream that charges the same. */
export async function makePricedModels(at: TestStack, simulatorUrl: string): Promise<PricedModels> {
  const group = ownName('bill');
  // What xAI and OpenRouter have added to Chat is nothing that OpenAI takes.
  const nameOf = (format: ClientProtocol) => `${format === 'openai-chat' ? 'grok-' : ''}${group}-${format}`;
  const models = Object.fromEntries(CLIENT_PROTOCOLS.map((format) => [format, nameOf(format)])) as Record<
    ClientProtocol,
    string
  >;
  await fetch(`${simulatorUrl}/__sim/prices`, {
    method: 'PUT',
    body: JSON.stringify({
      ...DRAWING_AT_VENDOR,
      ...Object.fromEntries(CLIENT_PROTOCOLS.map((format) => [models[format], AT_VENDOR])),
    }),
  });
  for (const [model, list] of Object.entries(DRAWING)) await putModel(at, model, list);
  for (const format of CLIENT_PROTOCOLS) {
    const model = models[format];
    await putUpstream(at, model, simulatorUrl, [model], { protocols: [format], reports_cost: true });
    const features: Readonly<Record<string, string>> = {
      ...Object.fromEntries(FEATURES[format].map((feature) => [feature, 'priced'])),
      ...(format === 'openai-responses' ? { background: 'free' } : {}),
    };
    await putModel(at, model, {
      ...LIST,
      features,
      ...('image_generation' in features ? { image_models: Object.keys(DRAWING) } : {}),
    });
    await putPool(at, model, [model], { members: [{ upstream: model }] });
  }
  await admin(at, 'PUT', `/api/catalogue/groups/${group}`, { ratio: '1', models: Object.values(models) });
  await keyFor(at, group, Object.values(models));
  return { models, group, ...(await makeCustomer(at, group, '10000')) };
}

/** Who pays beforehand, and so much. */
export async function makeCustomer(
  at: TestStack,
  group: string,
  usd: string,
): Promise<{ readonly accountId: string; readonly key: string }> {
  const { id: accountId } = await admin(at, 'POST', '/api/accounts', {
    name: ownName('payer'),
    mode: 'prepaid',
  });
  await grant(at, accountId, usd);
  const { key } = await makeKey(at, { account_id: accountId, group });
  return { accountId, key };
}
