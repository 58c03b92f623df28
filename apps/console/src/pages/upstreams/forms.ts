import type { Pool, PoolMember, Upstream } from '../../api/catalogue.ts';
import type { UpstreamInput } from '../../api/upstreams.ts';
import { isRatio } from '../catalogue/group-form.ts';
import { type LimitForm, toLimitForm, toLimit } from '../limits/limit-form.ts';

export const STRATEGIES = [
  'weighted',
  'least-outstanding',
  'latency',
  'cheapest',
  'sticky-key',
  'sticky-prompt',
] as const;

/** An upstream as its form holds it; what the form does not show stays what it is. */
export interface UpstreamForm {
  readonly name: string;
  readonly baseUrl: string;
  readonly protocols: Upstream['protocols'];
  readonly tags: readonly string[];
  readonly costRatio: string;
  readonly allowPrivate: boolean;
  readonly connectMs: number | string;
  readonly firstByteMs: number | string;
  readonly idleMs: number | string;
  readonly probeS: number | string;
  readonly limits: LimitForm;
}

export const toUpstreamForm = (upstream: Upstream | undefined): UpstreamForm => ({
  name: upstream?.name ?? '',
  baseUrl: upstream?.base_url ?? '',
  protocols: upstream?.protocols ?? ['openai-chat'],
  tags: upstream?.tags ?? [],
  costRatio: upstream?.cost_ratio ?? '',
  allowPrivate: upstream?.allow_private_addresses ?? false,
  connectMs: upstream?.connect_timeout_ms ?? 5_000,
  firstByteMs: upstream?.first_byte_timeout_ms ?? 300_000,
  idleMs: upstream?.idle_timeout_ms ?? 120_000,
  probeS: upstream?.probe_interval_s ?? '',
  limits: toLimitForm(upstream?.limits),
});

/** The upstream that a form states, on top of what stands; its credentials are kept. */
export function toUpstream(form: UpstreamForm, existing: UpstreamInput | undefined): UpstreamInput {
  const stated = {
    name: form.name.trim(),
    base_url: form.baseUrl.trim(),
    protocols: [...form.protocols],
    tags: [...form.tags],
    cost_ratio: form.costRatio.trim() === '' ? null : form.costRatio.trim(),
    allow_private_addresses: form.allowPrivate,
    connect_timeout_ms: Number(form.connectMs),
    first_byte_timeout_ms: Number(form.firstByteMs),
    idle_timeout_ms: Number(form.idleMs),
    probe_interval_s: form.probeS === '' ? null : Number(form.probeS),
    limits: toLimit(form.limits),
  };
  return { total_timeout_ms: 3_600_000, ...existing, ...stated };
}

type Fault =
  'nameRequired' | 'nameTaken' | 'urlRequired' | 'oneRequired' | 'ratioRequired' | 'numberRequired';

const isUrl = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

function nameFault(name: string, taken: ReadonlySet<string>): { name?: Fault } {
  if (name.trim() === '') return { name: 'nameRequired' };
  return taken.has(name.trim()) ? { name: 'nameTaken' } : {};
}

/** What is wrong in a form, by the path of the field. */
export function upstreamFaults(form: UpstreamForm, taken: ReadonlySet<string>): Record<string, Fault> {
  const numbers = (['connectMs', 'firstByteMs', 'idleMs'] as const).filter((field) => form[field] === '');
  return {
    ...nameFault(form.name, taken),
    ...(isUrl(form.baseUrl.trim()) ? {} : { baseUrl: 'urlRequired' as const }),
    ...(form.protocols.length > 0 ? {} : { protocols: 'oneRequired' as const }),
    ...(form.costRatio.trim() === '' || isRatio(form.costRatio)
      ? {}
      : { costRatio: 'ratioRequired' as const }),
    ...Object.fromEntries(numbers.map((field) => [field, 'numberRequired' as const])),
  };
}

interface MemberForm {
  readonly upstream: string;
  readonly priority: number | string;
  readonly weight: number | string;
  /** Our name and the upstream's, a line each: "acme-large = large-2026". */
  readonly modelMap: string;
  readonly existing: PoolMember | undefined;
}

/** A pool as its form holds it. */
export interface PoolForm {
  readonly name: string;
  readonly everyModel: boolean;
  readonly models: readonly string[];
  readonly everyGroup: boolean;
  readonly groups: readonly string[];
  readonly strategy: Pool['strategy'];
  readonly attempts: number | string;
  readonly retryPercent: number | string;
  readonly hedge: boolean;
  readonly members: readonly MemberForm[];
}

export const newMember = (upstream: string): MemberForm => ({
  upstream,
  priority: 0,
  weight: 1,
  modelMap: '',
  existing: undefined,
});

export const toPoolForm = (pool: Pool | undefined, firstUpstream: string): PoolForm => ({
  name: pool?.name ?? '',
  everyModel: pool?.models.includes('*') ?? true,
  models: pool?.models.filter((name) => name !== '*') ?? [],
  everyGroup: pool?.groups.includes('*') ?? true,
  groups: pool?.groups.filter((name) => name !== '*') ?? [],
  strategy: pool?.strategy ?? 'weighted',
  attempts: pool?.attempts ?? 3,
  retryPercent: pool?.retry_percent ?? 20,
  hedge: pool?.hedge ?? false,
  members: pool?.members.map((existing) => ({
    upstream: existing.upstream,
    priority: existing.priority,
    weight: existing.weight,
    modelMap: Object.entries(existing.model_map)
      .map(([ours, theirs]) => `${ours} = ${theirs}`)
      .join('\n'),
    existing,
  })) ?? [newMember(firstUpstream)],
});

export const toPool = (form: PoolForm): Pool => ({
  name: form.name.trim(),
  models: form.everyModel ? ['*'] : [...form.models],
  groups: form.everyGroup ? ['*'] : [...form.groups],
  strategy: form.strategy,
  attempts: Number(form.attempts),
  retry_percent: Number(form.retryPercent),
  hedge: form.hedge,
  members: form.members.map(({ upstream, priority, weight, modelMap, existing }) => ({
    cost_ratio: existing?.cost_ratio ?? null,
    upstream,
    priority: Number(priority),
    weight: Number(weight),
    model_map: parseModelMap(modelMap),
  })),
});

const parseModelMap = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf('=');
      const [ours, theirs] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
      return ours === '' || theirs === '' ? [] : [[ours, theirs]];
    }),
  );

/** What is wrong in a form, by the path of the field. */
export function poolFaults(form: PoolForm, taken: ReadonlySet<string>): Record<string, Fault> {
  const faults: Record<string, Fault> = { ...nameFault(form.name, taken) };
  if (!form.everyModel && form.models.length === 0) faults['models'] = 'oneRequired';
  if (!form.everyGroup && form.groups.length === 0) faults['groups'] = 'oneRequired';
  if (form.attempts === '') faults['attempts'] = 'numberRequired';
  if (form.retryPercent === '') faults['retryPercent'] = 'numberRequired';
  form.members.forEach(({ upstream, priority, weight }, index) => {
    if (upstream === '') faults[`members.${index}.upstream`] = 'oneRequired';
    if (priority === '') faults[`members.${index}.priority`] = 'numberRequired';
    if (weight === '') faults[`members.${index}.weight`] = 'numberRequired';
  });
  return faults;
}
