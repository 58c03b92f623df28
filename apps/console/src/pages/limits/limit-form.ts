import { UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import type { RateLimit } from '../../api/catalogue.ts';

export const LIMITS = ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests'] as const;
/** A limit of its own name, or of units of a kind a minute. */
export type LimitName = (typeof LIMITS)[number] | UnitKind;

/** Limits as a form holds them: empty is no limit. */
export type LimitForm = Readonly<Record<LimitName, number | string>>;

export const toLimitForm = (limit: RateLimit = {}): LimitForm => ({
  requests_per_minute: limit.requests_per_minute ?? '',
  tokens_per_minute: limit.tokens_per_minute ?? '',
  concurrent_requests: limit.concurrent_requests ?? '',
  ...(Object.fromEntries(UNIT_KINDS.map((kind) => [kind, limit.units_per_minute?.[kind] ?? ''])) as Record<
    UnitKind,
    number | string
  >),
});

const NAMES: ReadonlySet<string> = new Set([...LIMITS, ...UNIT_KINDS]);
const isLimit = (name: string): name is LimitName => NAMES.has(name);

/** The field of a form's `limits` that a refusal names, such as `limits.units_per_minute.images`. */
export function findLimitField(param: string): `limits.${LimitName}` | undefined {
  const name = /^limits\.(?:units_per_minute\.)?(\w+)$/.exec(param)?.[1] ?? '';
  return isLimit(name) ? `limits.${name}` : undefined;
}

const listStated = <Name extends LimitName>(form: LimitForm, names: readonly Name[]): [Name, number][] =>
  names.flatMap((name): [Name, number][] => (form[name] === '' ? [] : [[name, Number(form[name])]]));

/** Limits as the relay takes them; those that are empty are left out. */
export function toLimit(form: LimitForm): RateLimit {
  const units = listStated(form, UNIT_KINDS);
  return {
    ...Object.fromEntries(listStated(form, LIMITS)),
    ...(units.length > 0 ? { units_per_minute: Object.fromEntries(units) } : {}),
  };
}

export const hasLimits = (limit: RateLimit): boolean => Object.keys(toLimit(toLimitForm(limit))).length > 0;
