import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { grant } from '../credit/customers.ts';
import { admin, makeKey, type TestStack } from '../shared-stack.ts';
import { buildDoorUpstream, CLOUD_DOOR_NAMES, findDoor, type Place } from '../pools.ts';
import { keyFor, ownName, publish, toGroup, toModel, toPool, toUpstream } from '../pools/own-pool.ts';

/** A share of the list prices. */
const TIERS = {
  priority: '2',
  fast: '6',
  flex: '0.5',
  ultrafast: '3.5',
  batch: '0.45',
  scale: '1.25',
  reserved: '0.8',
};

/** The same prices twice: as the catalogue has them, and in USD as the vendor's page says them. */
const LIST = {
  prices: {
    input: 3_000_000,
    input_audio: 40_000_000,
    input_image: 5_000_000,
    cache_read: 300_000,
    cache_read_audio: 700_000,
    cache_read_image: 500_000,
    cache_write: 3_750_000,
    cache_write_1h: 6_000_000,
    output: 15_000_000,
    output_reasoning: 17_000_000,
    output_audio: 80_000_000,
    output_image: 30_000_000,
  },
  unit_prices: {
    searches: 10_000_000_000,
    fetches: 1_000_000_000,
    file_searches: 2_500_000_000,
    container_sessions: 30_000_000_000,
  },
  service_tiers: TIERS,
  regions: { us: '1.1', eu: '1.15' },
};
const AT_VENDOR = {
  per_million: {
    input: '3',
    audio_input: '40',
    image_input: '5',
    cached_input: '0.3',
    cached_audio_input: '0.7',
    cached_image_input: '0.5',
    cache_write: '3.75',
    cache_write_1h: '6',
    output: '15',
    reasoning_output: '17',
    audio_output: '80',
    image_output: '30',
  },
  per_thousand: { search: '10', fetch: '1', file_search: '2.5', container: '30' },
  tiers: TIERS,
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

const OF_MESSAGES = ['web_search', 'web_fetch', 'code_execution', 'service_tier', 'speed', 'inference_geo'];
const OF_RESPONSES = ['web_search', 'file_search', 'code_execution', 'image_generation', 'service_tier'];
const OF_CHAT = ['web_search', 'service_tier'];
const SOLD: Readonly<Record<Place, readonly string[]>> = {
  'openai-chat': OF_CHAT,
  'openai-responses': OF_RESPONSES,
  'anthropic-messages': OF_MESSAGES,
  gemini: OF_CHAT,
  'azure-v1': OF_RESPONSES,
  'azure-classic': OF_CHAT,
  foundry: OF_MESSAGES,
  'vertex-gemini': OF_CHAT,
  'vertex-anthropic': OF_CHAT,
  'bedrock-invoke': OF_CHAT,
  converse: ['service_tier'],
};

/** Models at Bedrock that their operator has served in a tier of his choice. */
const CHOSEN = {
  'converse-faster': { tier: 'fast', set_parameters: { performanceConfig: { latency: 'optimized' } } },
  'converse-reserved': { tier: 'reserved', set_parameters: { serviceTier: { type: 'reserved' } } },
} as const;
type ChosenPlace = keyof typeof CHOSEN;
export const CHOSEN_PLACES = Object.keys(CHOSEN) as ChosenPlace[];
const isChosen = (place: PricedPlace): place is ChosenPlace => place in CHOSEN;

/** How the operator has it served. */
export const chosenAt = (place: ChosenPlace): (typeof CHOSEN)[ChosenPlace] => CHOSEN[place];

/** A vendor's own door is called by its format. */
export type PricedPlace = Place | ChosenPlace;
const PLACES: readonly PricedPlace[] = [...CLIENT_PROTOCOLS, ...CLOUD_DOOR_NAMES, ...CHOSEN_PLACES];

export interface PricedModels {
  readonly models: Readonly<Record<PricedPlace, string>>;
  readonly group: string;
  readonly key: string;
  readonly accountId: string;
}

/** For each place a model that sells all that its answers tell, of an upstream that charges the same. */
export async function makePricedModels(at: TestStack, simulatorUrl: string): Promise<PricedModels> {
  const group = ownName('bill');
  // What xAI and OpenRouter have added to Chat is nothing that OpenAI takes.
  const nameOf = (place: PricedPlace) => `${place === 'openai-chat' ? 'grok-' : ''}${group}-${place}`;
  const models = Object.fromEntries(PLACES.map((place) => [place, nameOf(place)])) as Record<
    PricedPlace,
    string
  >;
  const atVendor = (place: PricedPlace) => doorOf(place).model ?? models[place];
  await fetch(`${simulatorUrl}/__sim/prices`, {
    method: 'PUT',
    body: JSON.stringify({
      ...DRAWING_AT_VENDOR,
      ...Object.fromEntries(PLACES.map((place) => [atVendor(place), AT_VENDOR])),
    }),
  });
  const upstreams = await Promise.all(
    PLACES.map((place) => toUpstreamAt(at, place, { name: models[place], simulatorUrl })),
  );
  await publish(at, [
    ...Object.entries(DRAWING).map(([model, list]) => toModel(model, list)),
    ...upstreams,
    ...PLACES.flatMap((place) => {
      const model = models[place];
      const members = [{ upstream: model, model_map: { [model]: atVendor(place) } }];
      return [toModel(model, { ...LIST, ...soldAt(place) }), toPool(model, [model], { members })];
    }),
    toGroup(group, Object.values(models)),
  ]);
  await keyFor(at, group, Object.values(models));
  return { models, group, ...(await makeCustomer(at, group, '100000')) };
}

const toPlace = (place: PricedPlace): Place => (isChosen(place) ? 'converse' : place);
const doorOf = (place: PricedPlace) => findDoor(toPlace(place));

const toUpstreamAt = async (
  at: TestStack,
  place: PricedPlace,
  { name, simulatorUrl }: { readonly name: string; readonly simulatorUrl: string },
) => {
  const format = CLIENT_PROTOCOLS.find((each) => each === place);
  if (format !== undefined)
    return toUpstream(name, simulatorUrl, [name], { protocols: [format], reports_cost: true });
  const upstream = await buildDoorUpstream({ ...at, simulatorUrl }, toPlace(place));
  return toUpstream(name, simulatorUrl, [], {
    ...upstream,
    ...(isChosen(place) ? { set_parameters: CHOSEN[place].set_parameters } : {}),
  });
};

function soldAt(place: PricedPlace): object {
  // Nobody asks for it: the list prices are those of the tier then, and the tier itself costs nothing more.
  if (isChosen(place))
    return { prices: pricesIn(CHOSEN[place].tier), features: { service_tier: 'free', speed: 'free' } };
  const features: Readonly<Record<string, string>> = {
    ...Object.fromEntries(SOLD[place].map((feature) => [feature, 'priced'])),
    ...(place === 'openai-responses' ? { background: 'free' } : {}),
  };
  return {
    features,
    ...('image_generation' in features ? { image_models: Object.keys(DRAWING) } : {}),
  };
}

function pricesIn(tier: keyof typeof TIERS): object {
  const thousandths = Number(TIERS[tier]) * 1_000;
  return Object.fromEntries(
    Object.entries(LIST.prices).map(([kind, price]) => [kind, (price * thousandths) / 1_000]),
  );
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

interface CredentialBill {
  readonly credential: string;
  readonly requests: number;
  readonly amount_pico: string;
  readonly latest: readonly { readonly asked: string; readonly amount_pico: string }[];
  readonly unpriced: readonly string[];
}

/** What the simulator would put on its invoice. */
export const readVendorBill = async (simulatorUrl: string): Promise<CredentialBill[]> =>
  (await (await fetch(`${simulatorUrl}/__sim/bill`)).json()) as CredentialBill[];
