import {
  canonicalJson,
  type Catalogue,
  completePrices,
  groupSchema,
  modelSchema,
  poolMemberSchema,
  poolSchema,
  type PriceList,
  priceListSchema,
  upstreamSchema,
  vendorSchema,
} from '@tollgate/catalogue';
import { stringify } from 'yaml';
import type { z } from 'zod';
import { fileCredential } from './file-schema.ts';

const HEAD = `# The catalogue of a Tollgate, for "tollgate catalogue plan" and "apply".
# Prices are whole micro-USD per million tokens: 2500000 is 2.50 USD. A kind of token without a price takes that of
# its like: audio, images and cache that of input or output. unit_prices are whole micro-USD per million as well:
# searches: 10000000000 is 10 USD for 1,000. service_tiers and regions are what tokens cost there, as a share.
# A section that is left out is left as it is.
# Secrets are not in here: secret_env names the variable that holds one, and is read for a new credential only.
`;

type Prices = PriceList['prices'];

/** A catalogue as YAML that says the same when it is read again, without what goes without saying. */
export const catalogueText = (catalogue: Catalogue): string =>
  `${HEAD}${stringify(
    {
      vendors: catalogue.vendors.map((vendor) => tersely(vendorSchema, vendor)),
      models: catalogue.models.map((model) => ({ ...tersely(modelSchema, model), ...tersePrices(model) })),
      groups: catalogue.groups.map((group) => tersely(groupSchema, group)),
      upstreams: catalogue.upstreams.map(terseUpstream),
      pools: catalogue.pools.map((pool) => ({
        ...tersely(poolSchema, pool),
        members: pool.members.map((member) => tersely(poolMemberSchema, member)),
      })),
      discounts: catalogue.discounts,
      auto_groups: catalogue.auto_groups,
      limits: catalogue.limits,
    },
    { lineWidth: 110, aliasDuplicateObjects: false },
  )}`;

/** Without the fields that have the value which they have when they are left out. */
function tersely(schema: z.ZodObject, entry: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).filter(([field, value]) => {
      const absent = schema.shape[field]?.safeParse(undefined);
      return (
        value !== undefined &&
        !(absent?.success && canonicalJson(absent.data ?? null) === canonicalJson(value))
      );
    }),
  );
}

const tersePrices = ({ prices, tiers }: Pick<PriceList, 'prices' | 'tiers'>): object => ({
  prices: differing(prices),
  ...(tiers.length === 0
    ? {}
    : { tiers: tiers.map((tier) => ({ ...tier, prices: differing(tier.prices) })) }),
});

/** Input, output, and every price that would be another one if it were left out. */
function differing(prices: Prices): Partial<Prices> {
  const kept: Partial<Prices> & Pick<Prices, 'input' | 'output'> = {
    input: prices.input,
    output: prices.output,
  };
  for (const kind of Object.keys(prices) as (keyof Prices)[])
    if (completePrices(kept)[kind] !== prices[kind]) kept[kind] = prices[kind];
  return kept;
}

function terseUpstream(upstream: Catalogue['upstreams'][0]): object {
  const costs = Object.entries(upstream.costs).map(([model, list]) => [
    model,
    { ...tersely(priceListSchema, list), ...tersePrices(list) },
  ]);
  return {
    ...tersely(upstreamSchema, upstream),
    credentials: upstream.credentials.map(({ sealed: _sealed, ...credential }) => ({
      ...tersely(fileCredential, credential),
      secret_env: secretName(upstream.name, credential.name),
    })),
    ...(costs.length === 0 ? {} : { costs: Object.fromEntries(costs) as object }),
  };
}

/** The name of the variable that a secret is looked for in, such as `TOLLGATE_SECRET_EAST_FIRST`. */
const secretName = (upstream: string, credential: string): string =>
  `TOLLGATE_SECRET_${`${upstream}_${credential}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;
