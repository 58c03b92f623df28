import { type Catalogue, listOperations, type Model, type PriceSnapshot } from '@tollgate/catalogue';
import { ratioText } from '@tollgate/money';
import { ENDPOINT_TYPES, listEndpointTypes, MODEL_OPERATIONS, type TokenKind } from '@tollgate/vocabulary';

const ENDPOINTS = Object.fromEntries(
  MODEL_OPERATIONS.flatMap((operation) =>
    Object.entries(ENDPOINT_TYPES[operation]).map(([type, path]) => [
      type,
      { path, method: operation === 'realtime' ? 'GET' : 'POST' },
    ]),
  ),
);

/** The old unit of such relays: ratio 1 is 2 USD per million input tokens. */
const RATIO_ONE = 2_000_000n;
const MICRO_PER_USD = 1_000_000n;

/**
 * The body of `GET /api/pricing`: the shape that existing clients of such relays parse, with exact integers beside
 * the ratios. The ratios are decimals worked out exactly and written as JSON numbers.
 */
export function renderPublicPricing(snapshot: PriceSnapshot): string {
  const { catalogue, hash, version } = snapshot;
  const vendorId = new Map(catalogue.vendors.map(({ name }, index) => [name, index + 1]));
  return stringify({
    success: true,
    data: catalogue.models.map((model) => entryOf(model, catalogue, vendorId.get(model.vendor) ?? 0)),
    vendors: catalogue.vendors.map(({ name, description, icon }) => ({
      id: vendorId.get(name),
      name,
      description,
      icon,
    })),
    group_ratio: Object.fromEntries(catalogue.groups.map(({ name, ratio }) => [name, new Decimal(ratio)])),
    usable_group: Object.fromEntries(catalogue.groups.map(({ name, description }) => [name, description])),
    supported_endpoint: ENDPOINTS,
    auto_groups: catalogue.auto_groups,
    pricing_version: hash,
    snapshot_version: version,
    published_at: snapshot.published_at,
    price_unit: 'micro-USD per million tokens',
    request_price_unit: 'micro-USD per request',
    unit_price_unit: 'micro-USD per million units',
  });
}

function entryOf(model: Model, catalogue: Catalogue, vendorId: number): object {
  const { prices } = model;
  const ratio = (kind: TokenKind, of: TokenKind) =>
    prices[of] === 0
      ? new Decimal(prices[kind] === 0 ? '1' : '0')
      : new Decimal(ratioText(BigInt(prices[kind]), BigInt(prices[of])));
  return {
    model_name: model.name,
    description: model.description,
    tags: model.tags.join(','),
    vendor_id: vendorId,
    owner_by: model.vendor,
    ...perRequest(model),
    model_ratio: new Decimal(ratioText(BigInt(prices.input), RATIO_ONE)),
    completion_ratio: ratio('output', 'input'),
    cache_ratio: ratio('cache_read', 'input'),
    create_cache_ratio: ratio('cache_write', 'input'),
    image_ratio: ratio('input_image', 'input'),
    audio_ratio: ratio('input_audio', 'input'),
    audio_completion_ratio: ratio('output_audio', 'input_audio'),
    enable_groups: catalogue.groups
      .filter(({ models }) => models.includes('*') || models.includes(model.name))
      .map(({ name }) => name),
    supported_endpoint_types: endpointTypesOf(model, catalogue),
    operations: listOperations(model),
    context_window: model.context_window,
    max_output_tokens: model.max_output_tokens,
    prices,
    tiers: model.tiers,
    request_price: model.request_price,
    unit_prices: model.unit_prices ?? {},
    service_tiers: model.service_tiers ?? {},
    regions: model.regions ?? {},
    features: model.features ?? {},
    image_models: model.image_models ?? [],
  };
}

/** What such relays know: a model that is paid by the request alone has `quota_type` 1 and its price in USD. */
function perRequest({ prices, tiers, request_price }: Model): object {
  const free = [prices, ...tiers.map((tier) => tier.prices)].every((list) =>
    Object.values(list).every((price) => price === 0),
  );
  return free && request_price > 0
    ? { quota_type: 1, model_price: new Decimal(ratioText(BigInt(request_price), MICRO_PER_USD)) }
    : { quota_type: 0, model_price: 0 };
}

/** Where a model that some pool serves is reached. */
function endpointTypesOf(model: Model, catalogue: Catalogue): string[] {
  const served = catalogue.pools.some(({ models }) => models.includes('*') || models.includes(model.name));
  return served ? listEndpointTypes(listOperations(model)) : [];
}

/** A decimal that is written into JSON digit for digit. */
class Decimal {
  constructor(readonly text: string) {}
}

/** JSON in which a {@link Decimal} stands as the number it is, without passing through binary floating point. */
const stringify = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part instanceof Decimal ? `\u0000${part.text}\u0000` : part,
  ).replace(/"\\u0000([\d.]+)\\u0000"/g, '$1');
