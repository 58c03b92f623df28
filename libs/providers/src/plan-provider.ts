import type {
  Catalogue,
  Group,
  modelInputSchema,
  Pool,
  upstreamInputSchema,
  Vendor,
} from '@tollgate/catalogue';
import { type ModelOperation, OPERATION_NAMES } from '@tollgate/vocabulary';
import type { z } from 'zod';
import { guessOperations } from './guess-task.ts';
import type { Provider, ProviderModel } from './provider.ts';
import { PROVIDERS } from './providers.ts';
import { type ProviderSettings, ProviderSettingsError, toUpstream } from './to-upstream.ts';

type ModelInput = z.input<typeof modelInputSchema>;
type PricesInput = ProviderModel['prices'];

/** A model that is to be offered, with prices where the provider's list has none or others are wanted. */
interface PickedModel {
  /** What callers name it by. */
  readonly name: string;
  /** Its name at the provider; of a model that is listed it is known. */
  readonly upstream_name?: string | undefined;
  readonly prices?: PricesInput | undefined;
  readonly context_window?: number | null | undefined;
  readonly max_output_tokens?: number | null | undefined;
}

export interface ProviderRequest extends ProviderSettings {
  readonly models: readonly PickedModel[];
  /** Groups whose keys may use the models. */
  readonly groups: readonly string[];
  /** What becomes of models that a pool names already: they are taken over unless they are to be left. */
  readonly leave_served?: boolean | undefined;
}

/** The entries of the catalogue that make a provider serve. */
export interface ProviderPlan {
  readonly vendor: Vendor | null;
  /** Those that the catalogue lacks: a price that somebody has set is never changed. */
  readonly models: readonly ModelInput[];
  readonly upstream: z.input<typeof upstreamInputSchema>;
  /** Null where other pools serve all models already. */
  readonly pool: { readonly entry: Pool; readonly before: string | null } | null;
  readonly groups: readonly Group[];
  /** What somebody should know before it is published, and after. */
  readonly notes: readonly string[];
}

type Existing = Pick<Catalogue, 'vendors' | 'models' | 'groups' | 'upstreams' | 'pools'>;

/**
 * What to publish so that a provider serves the models that were picked: the upstream with what it costs, models and their
 * prices, groups that may use them, and a pool that stands before every other one that would take their requests.
 *
 * @throws ProviderSettingsError
 */
export function planProvider(
  { vendors, models, groups, upstreams, pools }: Existing,
  provider: Provider,
  request: ProviderRequest,
): ProviderPlan {
  const upstream = toUpstream(provider, request);
  const taken = [...upstreams, ...pools].some(({ name }) => name === upstream.name);
  if (taken) {
    throw new ProviderSettingsError(
      'name',
      `name: there is an upstream or a pool "${upstream.name}" already. Give this one another name.`,
      'upstream_name_taken',
      { name: upstream.name },
    );
  }
  if (request.models.length === 0)
    throw new ProviderSettingsError('models', 'models: pick at least one.', 'field_lacks_entries', {
      min: 1,
    });
  const picked = request.models.map((each) => completeModel(provider, each));
  const known = new Set(models.map(({ name }) => name));
  const served = findServed(pools, picked);
  const own = picked.filter(({ model }) => !(request.leave_served && served.has(model.name)));
  const opened = groups.filter(({ name }) => request.groups.includes(name));
  const vendor = provider.vendor ?? provider.name;
  return {
    vendor: vendors.some(({ name }) => name === vendor)
      ? null
      : { name: vendor, description: `Models of ${provider.title}`, icon: '' },
    models: picked.filter(({ model }) => !known.has(model.name)).map(({ model }) => ({ ...model, vendor })),
    upstream: {
      ...upstream,
      costs: Object.fromEntries(
        picked.flatMap(({ model, cost }) => (cost === undefined ? [] : [[model.name, cost]])),
      ),
    },
    pool: own.length === 0 ? null : makePool(pools, upstream.name, own),
    groups: opened.flatMap((group) => withModels(group, picked)),
    notes: [
      ...noteKept(picked.map(({ model }) => model.name).filter((name) => known.has(name))),
      ...noteServed(served, upstream.name, request.leave_served === true),
      ...noteTasks(
        picked
          .map(({ model }) => model)
          .filter(({ name }) => !known.has(name) && provider.models.every((listed) => listed.name !== name)),
      ),
      ...noteGroups(request.groups, groups),
    ],
  };
}

interface CompleteModel {
  readonly model: Omit<ModelInput, 'vendor'>;
  readonly upstreamName: string;
  /** What the provider charges, by its list; undefined where it lists no price. */
  readonly cost: NonNullable<z.input<typeof upstreamInputSchema>['costs']>[string] | undefined;
}

/** @throws ProviderSettingsError for a model without a price. */
function completeModel(provider: Provider, picked: PickedModel): CompleteModel {
  const listed = provider.models.find(({ name }) => name === picked.name);
  const prices = picked.prices ?? listed?.prices;
  const operations = listOperations(listed, picked.upstream_name ?? picked.name);
  if (prices === undefined) {
    throw new ProviderSettingsError(
      `models.${picked.name}.prices`,
      `models: ${provider.title} lists no price of ${picked.name}. Say what it is sold at.`,
      'no_list_price',
      { name: picked.name },
    );
  }
  const cost = listed && {
    prices: listed.prices,
    tiers: [...(listed.tiers ?? [])],
    ...(listed.request_price !== undefined && { request_price: listed.request_price }),
    ...(listed.unit_prices && { unit_prices: listed.unit_prices }),
    ...(listed.unit_prices === undefined &&
      provider.model_defaults?.unit_prices && { unit_prices: provider.model_defaults.unit_prices }),
  };
  return {
    upstreamName: picked.upstream_name ?? listed?.upstream_name ?? picked.name,
    cost,
    model: {
      name: picked.name,
      ...provider.model_defaults,
      // Prices that somebody states are theirs for every length of context.
      ...(picked.prices === undefined ? cost : { prices }),
      prices,
      ...(listed &&
        picked.prices === undefined && {
          price_source: { source: listed.source.url, date: listed.source.date },
        }),
      ...(operations.length > 0 && { operations: [...operations] }),
      ...(listed?.features && { features: listed.features }),
      ...(listed?.dialect && { dialect: listed.dialect }),
      context_window: picked.context_window ?? listed?.context_window ?? null,
      max_output_tokens: picked.max_output_tokens ?? listed?.max_output_tokens ?? null,
    },
  };
}

/** What a model is for: as the list says it, else by its name. Nothing of one that holds conversations alone. */
const listOperations = (listed: ProviderModel | undefined, name: string): readonly ModelOperation[] =>
  listed?.operations ?? guessOperations(listed?.upstream_name ?? listed?.name ?? name);

/** What the list of an upstream's provider says of a model, by its name there; null where it is on no such list. */
export function suggestModel(
  upstream: { readonly name: string; readonly base_url: string },
  upstreamName: string,
): ModelInput | null {
  const host = URL.parse(upstream.base_url)?.host;
  const provider = PROVIDERS.find(
    ({ name, base_url }) =>
      name === upstream.name || (host !== undefined && URL.parse(base_url)?.host === host),
  );
  const listed = provider?.models.find(({ name, upstream_name }) => (upstream_name ?? name) === upstreamName);
  if (!provider || !listed) return null;
  return {
    ...completeModel(provider, { name: listed.name }).model,
    vendor: provider.vendor ?? provider.name,
  };
}

/** By model, the first pool that names it. A pool of all models says of none that it is meant to be served there. */
const findServed = (pools: readonly Pool[], picked: readonly CompleteModel[]): ReadonlyMap<string, string> =>
  new Map(
    picked.flatMap(({ model: { name } }) => {
      const pool = pools.find(({ models }) => models.includes(name));
      return pool ? [[name, pool.name]] : [];
    }),
  );

/** The first pool that matches serves, so a new one stands before all that would. */
function makePool(pools: readonly Pool[], upstream: string, picked: readonly CompleteModel[]) {
  const names = picked.map(({ model }) => model.name);
  const before = pools.find(({ models }) => models.some((name) => name === '*' || names.includes(name)));
  const renamed = picked.filter(({ model, upstreamName }) => model.name !== upstreamName);
  const entry: Pool = {
    name: upstream,
    groups: ['*'],
    models: names,
    members: [
      {
        upstream,
        priority: 0,
        weight: 1,
        model_map: Object.fromEntries(renamed.map(({ model, upstreamName }) => [model.name, upstreamName])),
        cost_ratio: null,
      },
    ],
    strategy: 'weighted',
    attempts: 3,
    retry_percent: 20,
    hedge: false,
  };
  return { entry, before: before?.name ?? null };
}

/** Nothing where the group may use them all already. */
function withModels(group: Group, picked: readonly CompleteModel[]): Group[] {
  const lacks = picked.map(({ model }) => model.name).filter((name) => !group.models.includes(name));
  if (group.models.includes('*') || lacks.length === 0) return [];
  return [{ ...group, models: [...group.models, ...lacks] }];
}

const noteTasks = (models: readonly Pick<ModelInput, 'name' | 'operations'>[]): string[] =>
  models.flatMap(({ name, operations = [] }) => {
    const named = operations.map((each) => OPERATION_NAMES[each].toLowerCase());
    return named.length === 0 ? [] : [`${name}: is for ${named.join(' and ')} alone, by its name.`];
  });

const noteKept = (names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [`${names.join(', ')}: in the catalogue already, and kept at the price that is set there.`];

function noteServed(served: ReadonlyMap<string, string>, upstream: string, leave: boolean): string[] {
  return [...Map.groupBy(served.keys(), (model) => served.get(model) ?? '')].map(([pool, models]) =>
    leave
      ? `${models.join(', ')}: goes on being served by the pool ${pool}.`
      : `${models.join(', ')}: was served by the pool ${pool}, and is served by ${upstream} from now on. To use both, put both upstreams into one pool.`,
  );
}

function noteGroups(wanted: readonly string[], groups: readonly Group[]): string[] {
  const first = wanted.find((name) => !groups.some((group) => group.name === name));
  if (first !== undefined) {
    const message = `groups: there is no "${first}".`;
    throw new ProviderSettingsError('groups', message, 'no_such_group', { name: first });
  }
  return wanted.length > 0 || groups.some(({ models }) => models.includes('*'))
    ? []
    : ['No group may use these models yet. Add them to one under Catalogue, Groups.'];
}
