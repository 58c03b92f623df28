import type { Pool, PoolMember } from '../../api/catalogue.ts';
import { type Fault, nameFault } from './upstream-form.ts';

export const STRATEGIES = [
  'weighted',
  'least-outstanding',
  'latency',
  'cheapest',
  'sticky-key',
  'sticky-prompt',
] as const;

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
  /** The pool in front of which a new one is put; null is after all others. */
  readonly before: string | null;
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
  before: null,
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
