import { AUTO_GROUP, type Catalogue, type Model, type PriceList } from '@tollgate/catalogue';
import {
  type CatalogueFault,
  COSTLY_FEATURES,
  type CostlyFeature,
  FEATURE_UNITS,
  sayFault,
} from '@tollgate/vocabulary';
import { upstreamFaults } from './upstream-faults.ts';

/** What a catalogue says that cannot be meant, each with the place; empty when it may be published. */
export function findFaults(catalogue: Catalogue): string[] {
  return [
    ...namesThatStandTwice(catalogue),
    ...namesThatAreNotThere(catalogue),
    ...groupsThatCannotServe(catalogue),
    ...catalogue.upstreams.flatMap(upstreamFaults),
    ...tiersOutOfOrder(catalogue),
    ...catalogue.models.flatMap(featuresWithoutPrices),
    ...discountsThatNeverHold(catalogue),
  ];
}

const listNames = (list: readonly { name: string }[]): Set<string> => new Set(list.map(({ name }) => name));

function namesThatStandTwice({ vendors, models, groups, upstreams, pools }: Catalogue): string[] {
  const faults: string[] = [];
  for (const [section, list] of Object.entries({ vendors, models, groups, upstreams, pools })) {
    const seen = new Set<string>();
    for (const { name } of list) {
      if (seen.has(name)) faults.push(sayFault(section, 'stands_twice', { name }));
      seen.add(name);
    }
  }
  return faults;
}

function namesThatAreNotThere(catalogue: Catalogue): string[] {
  const { vendors, models, groups, upstreams, pools, discounts, auto_groups } = catalogue;
  const known = {
    vendor: listNames(vendors),
    model: listNames(models),
    group: listNames(groups),
    upstream: listNames(upstreams),
  };
  const faults: string[] = [];
  const requireKnown = (kind: keyof typeof known, names: readonly string[], place: string) => {
    for (const name of names) {
      if (name !== '*' && !known[kind].has(name)) faults.push(sayFault(place, `no_${kind}`, { name }));
    }
  };
  for (const { name, vendor, image_models = [] } of models) {
    requireKnown('vendor', [vendor], `models.${name}.vendor`);
    requireKnown('model', image_models, `models.${name}.image_models`);
  }
  for (const { name, models: usable, fallbacks } of groups) {
    requireKnown('model', usable, `groups.${name}.models`);
    requireKnown('model', Object.keys(fallbacks), `groups.${name}.fallbacks`);
    for (const [model, fallbackModels] of Object.entries(fallbacks)) {
      requireKnown('model', fallbackModels, `groups.${name}.fallbacks.${model}`);
    }
  }
  requireKnown('group', auto_groups, 'auto_groups');
  for (const { name, costs } of upstreams)
    requireKnown('model', Object.keys(costs), `upstreams.${name}.costs`);
  for (const pool of pools) {
    requireKnown('group', pool.groups, `pools.${pool.name}.groups`);
    requireKnown('model', pool.models, `pools.${pool.name}.models`);
    for (const { upstream, model_map } of pool.members) {
      requireKnown('upstream', [upstream], `pools.${pool.name}.members`);
      requireKnown('model', Object.keys(model_map), `pools.${pool.name}.members.model_map`);
    }
  }
  for (const discount of discounts) {
    requireKnown('model', discount.models, `discounts.${discount.account_id}.models`);
  }
  return faults;
}

function groupsThatCannotServe({ groups, models, upstreams, auto_groups }: Catalogue): string[] {
  const faults: string[] = [];
  const known = listNames(models);
  const tags = new Set(upstreams.flatMap((upstream) => upstream.tags));
  for (const { name, models: usable, fallbacks, required_tags } of groups) {
    if (name === AUTO_GROUP) faults.push(sayFault(`groups.${name}`, 'name_of_auto_groups'));
    for (const tag of required_tags.filter((each) => !tags.has(each))) {
      faults.push(sayFault(`groups.${name}.required_tags`, 'no_upstream_with_tag', { name: tag }));
    }
    for (const [model, fallbackModels] of Object.entries(fallbacks)) {
      const place = `groups.${name}.fallbacks.${model}`;
      if (fallbackModels.includes(model)) faults.push(sayFault(place, 'stands_in_for_itself'));
      for (const fallback of fallbackModels.filter((each) => known.has(each))) {
        if (!usable.includes('*') && !usable.includes(fallback)) {
          faults.push(sayFault(place, 'not_of_group', { name: fallback }));
        }
      }
    }
  }
  if (new Set(auto_groups).size < auto_groups.length) faults.push(sayFault('auto_groups', 'group_twice'));
  return faults;
}

function tiersOutOfOrder({ models, upstreams }: Catalogue): string[] {
  const lists: [string, PriceList][] = [
    ...models.map((model): [string, PriceList] => [`models.${model.name}`, model]),
    ...upstreams.flatMap(({ name, costs }) =>
      Object.entries(costs).map(([model, list]): [string, PriceList] => [
        `upstreams.${name}.costs.${model}`,
        list,
      ]),
    ),
  ];
  return lists
    .filter(([, { tiers }]) =>
      tiers.some((tier, index) => tier.above_input_tokens <= (tiers[index - 1]?.above_input_tokens ?? 0)),
    )
    .map(([place]) => sayFault(`${place}.tiers`, 'tiers_must_rise'));
}

/** What is served at a price has one. */
function featuresWithoutPrices(model: Model): string[] {
  return COSTLY_FEATURES.filter((feature) => model.features?.[feature] === 'priced').flatMap((feature) => {
    const lacks = findMissingPrice(feature, model);
    if (lacks === undefined) return [];
    const [fault, values] = lacks;
    return [sayFault(`models.${model.name}.features.${feature}`, fault, values)];
  });
}

function findMissingPrice(
  feature: CostlyFeature,
  { unit_prices, service_tiers = {}, regions = {}, image_models }: Model,
): readonly [fault: CatalogueFault, values?: Readonly<Record<string, string>>] | undefined {
  switch (feature) {
    case 'web_search':
    case 'web_fetch':
    case 'file_search':
    case 'code_execution': {
      const unit = FEATURE_UNITS[feature];
      return unit_prices?.[unit] === undefined ? ['no_unit_price', { unit }] : undefined;
    }
    case 'image_generation':
      return image_models === undefined ? ['no_drawing_model'] : undefined;
    case 'service_tier':
      return Object.keys(service_tiers).some((tier) => tier !== 'fast') ? undefined : ['no_service_tier'];
    case 'speed':
      return service_tiers.fast === undefined ? ['no_fast_ratio'] : undefined;
    case 'inference_geo':
      return Object.keys(regions).length === 0 ? ['no_region'] : undefined;
    default:
      return ['never_priced'];
  }
}

/** The first discount of an account that matches a model holds: one behind it for the same model is a mistake. */
function discountsThatNeverHold({ discounts }: Catalogue): string[] {
  const faults: string[] = [];
  const seen = new Map<string, Set<string>>();
  let previous: string | undefined;
  for (const { account_id, models } of discounts) {
    const earlier = seen.get(account_id) ?? new Set();
    if (earlier.size > 0 && previous !== account_id) {
      faults.push(sayFault(`discounts.${account_id}`, 'discounts_apart'));
    }
    for (const model of new Set(models)) {
      if (earlier.has('*') || earlier.has(model)) {
        faults.push(sayFault(`discounts.${account_id}.models`, 'discount_never_holds', { name: model }));
      }
    }
    seen.set(account_id, new Set([...earlier, ...models]));
    previous = account_id;
  }
  return faults;
}
