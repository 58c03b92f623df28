import type { CostlyFeature } from '@tollgate/vocabulary';
import { isObject, type JsonObject } from '../json.ts';
import type { CostlyField, CostRules, OfferedTool, Path } from './costs.ts';

/** A field of a request that makes it cost more than its tokens. */
interface AskedFeature {
  readonly feature: CostlyFeature;
  readonly rule: CostlyField;
  /** As the table has it. */
  readonly field: Path;
  /** Where it stands. */
  readonly path: Path;
  readonly value: unknown;
}

export function listAskedFeatures({ fields }: CostRules, body: JsonObject): AskedFeature[] {
  const asked: AskedFeature[] = [];
  for (const [field, rule] of fieldsOf(fields)) {
    // Of nearly all fields a request has none.
    if (!Object.hasOwn(body, field[0] ?? '')) continue;
    for (const { path, value } of valuesAt(body, field, rule.absent))
      if (isCostly(rule, value)) asked.push({ feature: rule.feature, rule, field, path, value });
  }
  return asked;
}

/** The tools of a request that run at the vendor. */
export const listHostedTools = (
  costs: CostRules,
  body: JsonObject,
): { readonly feature: CostlyFeature; readonly tool: OfferedTool }[] =>
  costs
    .offered(body)
    .filter(({ type }) => !costs.freeTools.test(type))
    .map((tool) => ({ feature: findFeature(costs, tool.type), tool }));

export const findFeature = ({ hostedTools }: CostRules, type: string): CostlyFeature =>
  hostedTools.find(([beginning]) => type.startsWith(beginning))?.[1] ?? 'other_tools';

/** Words of vendors mean the same in capitals. */
const isCostly = ({ free = [], costly }: CostlyField, value: unknown): boolean => {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (value === undefined || value === null || free.includes(word)) return false;
  return costly === undefined || (typeof word === 'string' && word.startsWith(costly));
};

/** The paths of a table, split once. */
const split = new WeakMap<CostRules['fields'], readonly (readonly [Path, CostRules['fields'][string]])[]>();

function fieldsOf(fields: CostRules['fields']) {
  const known =
    split.get(fields) ?? Object.entries(fields).map(([path, rule]) => [path.split('.'), rule] as const);
  split.set(fields, known);
  return known;
}

/** What stands at a path, or is meant where nothing does; `*` is every entry of a list. */
function valuesAt(
  value: unknown,
  path: Path,
  absent: string | undefined,
  at: Path = [],
): { path: Path; value: unknown }[] {
  const [key, ...rest] = path;
  if (key === undefined) return [{ path: at, value: value ?? absent }];
  if (key === '*')
    return Array.isArray(value)
      ? value.flatMap((each, index) => valuesAt(each, rest, absent, [...at, index]))
      : [];
  if (!isObject(value)) return [];
  const isStated = Object.hasOwn(value, key);
  return isStated || (absent !== undefined && rest.length === 0)
    ? valuesAt(isStated ? value[key] : undefined, rest, absent, [...at, key])
    : [];
}
