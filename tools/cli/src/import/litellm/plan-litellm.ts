import { groupSchema, mayHoldSecret, poolSchema, modelInputSchema, vendorSchema } from '@tollgate/catalogue';
import { type Declared, readLiteLlmPrices } from '@tollgate/providers';
import type { ModelOperation } from '@tollgate/vocabulary';
import { z } from 'zod';
import { fileUpstream } from '../../catalogue/file-schema.ts';
import { forOperation, isPrivate, type Move, slug, findVendor } from '../move.ts';
import type { Deployment, LiteLlmConfig } from './config.ts';
import { movedFallbacks } from './fallbacks.ts';
import { findOperations } from './operations.ts';
import { findProvider } from './providers.ts';
import { noteLeftFields } from './source-fields.ts';
import { findUsualKey } from './usual-keys.ts';
import { movedVirtualKeys, type VirtualKeys } from './virtual-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a LiteLLM proxy becomes here, its models in one group. Nothing is sent anywhere.
 *
 * @param outer what `os.environ/NAME` stands for where it is no key, such as an address or a region.
 * @param keys those of its database, where that is named.
 */
export function planLiteLlm(
  config: LiteLlmConfig,
  group: string,
  outer: Environment = {},
  keys?: VirtualKeys,
): Move {
  const notes: string[] = [];
  const own = config.environment_variables ?? {};
  const env = { ...outer, ...own };
  const secrets = new Map<string, string>(Object.entries(own));
  const operations = findOperations(config, notes);
  const deployments = config.model_list.flatMap((each, index) => {
    const operation = operations.get(each.model_name);
    return (operation && movedDeployment(each, index, { operation, env, secrets, notes })) ?? [];
  });
  const byModel = Map.groupBy(deployments, ({ model }) => model);
  const named = [...byModel].flatMap(([name, of]) => movedModel(name, of, notes) ?? []);
  const aliases = findAliases(config, new Set(named.map(({ name }) => name)), notes);
  const models = named.flatMap((model) => [
    model,
    ...(aliases.get(model.name) ?? []).map((name) => ({ ...model, name })),
  ]);
  const known = new Set(models.map(({ name }) => name));
  return {
    catalogue: {
      vendors: [...new Set(models.map(({ vendor }) => vendor))].map((name) => vendorSchema.parse({ name })),
      models,
      groups: [
        groupSchema.parse({
          name: group,
          ratio: '1',
          models: [...known],
          fallbacks: movedFallbacks(config, known, notes),
        }),
      ],
      upstreams: deployments.filter(({ model }) => known.has(model)).map(({ upstream }) => upstream),
      pools: [...byModel]
        .filter(([name]) => known.has(name))
        .map(([name, of]) => poolFor([name, ...(aliases.get(name) ?? [])], group, of)),
      auto_groups: [],
    },
    secrets,
    accounts: keys ? movedVirtualKeys(keys, { group, known, notes }) : [],
    notes: [...notes, ...noteLeftFields(config)],
    never: keys
      ? 'People and past spend do not come over: invite those who are to sign in here.'
      : "Virtual keys, teams and spend are in LiteLLM's database and do not come over; keys do with --database.",
  };
}

/** By model, what else it is called: each is a model of the same prices in the same pool. */
function findAliases(
  { router_settings }: LiteLlmConfig,
  known: ReadonlySet<string>,
  notes: string[],
): ReadonlyMap<string, string[]> {
  const aliases = new Map<string, string[]>();
  for (const [alias, model] of Object.entries(router_settings?.model_group_alias ?? {})) {
    if (known.has(alias)) continue;
    if (known.has(model)) aliases.set(model, [...(aliases.get(model) ?? []), alias]);
    else notes.push(`alias ${alias}: left out, for ${model} did not come over`);
  }
  return aliases;
}

interface MovedDeployment {
  readonly model: string;
  readonly theirModel: string;
  readonly operation: ModelOperation;
  readonly deployment: Deployment;
  readonly upstream: Move['catalogue']['upstreams'][0];
}

function movedDeployment(
  deployment: Deployment,
  index: number,
  {
    operation,
    env,
    secrets,
    notes,
  }: {
    readonly operation: ModelOperation;
    readonly env: Environment;
    readonly secrets: Map<string, string>;
    readonly notes: string[];
  },
): MovedDeployment | undefined {
  const { model_name: model, litellm_params: params } = deployment;
  const what = `deployment ${index + 1} "${model}"`;
  if (model.includes('*')) {
    notes.push(`${what}: left out, a pattern names no model; list those that are used`);
    return undefined;
  }
  const found = findProvider(params, env, operation);
  if (typeof found === 'string') {
    notes.push(`${what}: left out, ${found}`);
    return undefined;
  }
  const name = `litellm-${slug(model)}-${index + 1}`;
  const secret = found.secret ?? params.api_key ?? findUsualKey(params, env);
  const reference =
    /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/.exec(secret ?? '')?.[1] ?? `MOVED_LITELLM_${index + 1}`;
  if (secret !== undefined && !secret.startsWith('os.environ/')) secrets.set(reference, secret);
  const upstream = fileUpstream.safeParse({
    ...found.upstream,
    name,
    allow_private_addresses: isPrivate(found.upstream.base_url),
    credentials: secret === undefined ? [] : [{ name: 'key', secret_env: reference }],
    set_headers: headersOf(params, what, notes),
    limits: {
      ...(params.rpm === undefined ? {} : { requests_per_minute: params.rpm }),
      ...(params.tpm === undefined ? {} : { tokens_per_minute: params.tpm }),
      ...(params.max_parallel_requests === undefined
        ? {}
        : { concurrent_requests: params.max_parallel_requests }),
    },
  });
  if (!upstream.success) {
    notes.push(`${what}: left out: ${z.prettifyError(upstream.error).replaceAll('\n', ' ')}`);
    return undefined;
  }
  if (secret === undefined) notes.push(`${what}: names no api_key, so its upstream is sent none`);
  if (secret === 'ambient') notes.push(`${what}: the gateway's own identity proves who asks`);
  if (found.leftOut.length > 0) notes.push(`${what}: left out of it: ${found.leftOut.join(', ')}`);
  return { model, theirModel: found.model, operation, deployment, upstream: upstream.data };
}

/** Headers that hold keys would be shown in the catalogue. */
function headersOf(
  { organization, extra_headers }: Deployment['litellm_params'],
  what: string,
  notes: string[],
): Record<string, string> {
  const stated = Object.entries(extra_headers ?? {});
  const plain = stated.filter(([name, value]) => !mayHoldSecret(name) && !value.startsWith('os.environ/'));
  for (const [name] of stated.filter((each) => !plain.includes(each)))
    notes.push(`${what}: its header ${name} is left out; make its value a credential`);
  return {
    ...(organization === undefined ? {} : { 'openai-organization': organization }),
    ...Object.fromEntries(plain),
  };
}

function movedModel(
  name: string,
  deployments: readonly MovedDeployment[],
  notes: string[],
): Move['catalogue']['models'][0] | undefined {
  // What an earlier deployment says holds.
  const declared = Object.assign(
    {},
    ...deployments
      .map(({ deployment: { model_info, litellm_params } }) => ({ ...model_info, ...litellm_params }))
      .reverse(),
  ) as Declared;
  const operation = deployments[0]?.operation ?? 'generate';
  const prices = readLiteLlmPrices(name, declared, operation, notes);
  if (!prices) {
    notes.push(
      `model ${name}: left out, the file has no ${LACKING[operation]} for it; add what is missing, or name its map of prices with --prices`,
    );
    return undefined;
  }
  const model = modelInputSchema.safeParse({
    name,
    vendor: findVendor(name),
    ...forOperation(operation),
    ...prices,
  });
  if (!model.success)
    notes.push(`model ${name}: left out: ${z.prettifyError(model.error).replaceAll('\n', ' ')}`);
  return model.data;
}

const IN = 'input_cost_per_token';
const IN_AND_OUT = `${IN} and output_cost_per_token`;
const OF_PICTURES = `output_cost_per_image, or ${IN} and output_cost_per_image_token`;
const OF_SOUND = `input_cost_per_second, or ${IN_AND_OUT}`;
/** The prices without one of which a model would be given away. */
const LACKING: Readonly<Record<ModelOperation, string>> = {
  generate: IN_AND_OUT,
  complete: IN_AND_OUT,
  realtime: IN_AND_OUT,
  embed: IN,
  rerank: IN,
  moderate: IN,
  draw: OF_PICTURES,
  edit: OF_PICTURES,
  transcribe: OF_SOUND,
  translate: OF_SOUND,
  speak: `input_cost_per_character, or ${IN_AND_OUT}`,
};

function poolFor(
  [name = '', ...aliases]: readonly string[],
  group: string,
  deployments: readonly MovedDeployment[],
): Move['catalogue']['pools'][0] {
  const orders = [...new Set(deployments.map(({ deployment }) => deployment.litellm_params.order ?? 0))].sort(
    (a, b) => a - b,
  );
  return poolSchema.parse({
    name: `litellm-${slug(name)}`,
    groups: [group],
    models: [name, ...aliases],
    members: deployments.map(({ upstream, theirModel, deployment: { litellm_params: params } }) => ({
      upstream: upstream.name,
      priority: orders.indexOf(params.order ?? 0),
      weight: Math.max(1, Math.round(params.weight ?? params.rpm ?? 1)),
      model_map: Object.fromEntries(
        [name, ...aliases].filter((each) => each !== theirModel).map((each) => [each, theirModel]),
      ),
    })),
  });
}
