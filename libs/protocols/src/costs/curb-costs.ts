import { type ClientProtocol, COSTLY_FEATURE_NAMES, type CostlyFeature, findOwn } from '@tollgate/vocabulary';
import { isObject, type JsonObject } from '../json.ts';
import { CODECS } from '../registry.ts';
import { relayError, type RelayError } from '../relay-error.ts';
import { findFeature, listAskedFeatures } from './asked.ts';
import type { CostRules, OfferedTool, Path, ServedFeatures } from './costs.ts';
import { findDrawingModel, isToolServed, isValueServed } from './served.ts';

interface CurbOptions {
  /** The model's name for the caller. */
  readonly model: string;
  readonly served: ServedFeatures;
  /** The key wants 400 where something would be left out. */
  readonly strict: boolean;
}

type CurbedRequest =
  | {
      readonly ok: true;
      /** Top-level fields with their new values; undefined for one that is left out. Empty when nothing changes. */
      readonly changes: JsonObject;
      /** Paths of what was left out. */
      readonly dropped: readonly string[];
    }
  | { readonly ok: false; readonly error: RelayError };

/**
 * A request without what would cost more than its tokens. Tools of the vendor that are merely offered are left out, as
 * agents offer them on every call; what is demanded is refused.
 */
export function curbCosts(protocol: ClientProtocol, body: JsonObject, options: CurbOptions): CurbedRequest {
  const { costs } = CODECS[protocol];
  const fields = curbFields(costs, body, options);
  if (!fields.ok) return fields;
  const tools = curbTools(costs, body, options);
  return tools.ok ? { ...tools, changes: { ...fields.changes, ...tools.changes } } : tools;
}

function curbFields(costs: CostRules, body: JsonObject, options: CurbOptions): CurbedRequest {
  const changes: Record<string, unknown> = {};
  for (const { feature, rule, path, field, value } of listAskedFeatures(costs, body)) {
    if (options.served.free.has(feature) || isValueServed(costs, feature, value, options.served)) continue;
    const instead = typeof value === 'string' ? findOwn(rule.instead ?? {}, value.toLowerCase()) : undefined;
    if (instead === undefined)
      return refuse(nameOf(path), COSTLY_FEATURE_NAMES[feature].toLowerCase(), feature, options);
    changes[nameOf(field)] = instead;
  }
  return { ok: true, changes, dropped: [] };
}

function curbTools(costs: CostRules, body: JsonObject, options: CurbOptions): CurbedRequest {
  const offered = costs.offered(body);
  const denied = offered.filter(
    (tool) => !costs.freeTools.test(tool.type) && !isToolServed(costs, tool, offered, options.served),
  );
  const drawing = nameDrawingModels(costs, body, offered, options.served);
  const [first] = denied;
  if (first === undefined) return { ok: true, changes: drawing, dropped: [] };
  const { none, named, among = [] } = costs.chosen(body);
  const names = new Set(denied.flatMap(({ type, name }) => (name === undefined ? [type] : [type, name])));
  const unchoosable = among.filter(
    ({ type, name }) => names.has(type) || (name !== undefined && names.has(name)),
  );
  const demanded =
    denied.find(({ type, name }) => named !== undefined && (named === type || named === name)) ??
    (among.length > 0 && unchoosable.length === among.length ? unchoosable[0] : undefined);
  const alone = denied.length === offered.length && !none;
  if (demanded || alone || options.strict) {
    const { path, type } = demanded ?? first;
    return refuse(
      nameOf(path),
      `the tool "${type}", which its vendor runs`,
      findFeature(costs, type),
      options,
    );
  }
  const paths = [...denied, ...unchoosable].map(({ path }) => path);
  const changes: Record<string, unknown> = Object.fromEntries(
    [...new Set([...Object.keys(drawing), ...paths.map(([key]) => String(key))])].map((key) => [
      key,
      withoutPaths(
        drawing[key] ?? body[key],
        paths.filter(([first]) => first === key).map((path) => path.slice(1)),
      ),
    ]),
  );
  // OpenAI refuses a choice where there is nothing to choose from.
  if (denied.length === offered.length && 'tool_choice' in body) changes['tool_choice'] = undefined;
  return {
    ok: true,
    changes,
    dropped: denied.map(({ path }) => nameOf(path)),
  };
}

/** A tool that leaves its model to the vendor is told the one that has the price. */
function nameDrawingModels(
  costs: CostRules,
  body: JsonObject,
  offered: readonly OfferedTool[],
  served: ServedFeatures,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  if (!served.priced.has('image_generation')) return changes;
  for (const tool of offered) {
    if (tool.model !== undefined || findFeature(costs, tool.type) !== 'image_generation') continue;
    const [key = '', ...rest] = tool.path;
    const model = findDrawingModel(tool, served);
    if (model) changes[key] = withMember(changes[key] ?? body[key], [...rest, 'model'], model.name);
  }
  return changes;
}

/** A value with another one at a path in it. */
function withMember(value: unknown, [key, ...rest]: Path, member: unknown): unknown {
  if (key === undefined) return member;
  if (Array.isArray(value))
    return value.map((each: unknown, index) => (index === key ? withMember(each, rest, member) : each));
  return isObject(value) ? { ...value, [key]: withMember(value[key], rest, member) } : value;
}

const refuse = (
  param: string,
  what: string,
  feature: CostlyFeature,
  { model }: CurbOptions,
): CurbedRequest => ({
  ok: false,
  error: relayError(
    'unsupported',
    `${param}: not served for the model "${model}", which has no price for it: ${what} (${feature}). Leave it out.`,
    { param },
  ),
});

/** Such as `input[0].tools[1]`. */
const nameOf = (path: Path): string =>
  path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`))
    .join('');

/** A value without what stands at the paths below it; undefined where it holds nothing without them. */
function withoutPaths(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return undefined;
  const change = (each: unknown, key: string | number) => {
    const below = paths.filter(([first]) => first === key);
    return below.length === 0
      ? each
      : withoutPaths(
          each,
          below.map((path) => path.slice(1)),
        );
  };
  if (Array.isArray(value)) {
    const left = value.map(change).filter((each) => each !== undefined);
    return left.length === 0 ? undefined : left;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, change(each, key)] as const);
  const left = entries.filter(([, each]) => each !== undefined);
  // A namespace, or an item that brings tools, is nothing without its tools.
  return left.length === 0 || (entries.length > left.length && 'tools' in value)
    ? undefined
    : Object.fromEntries(left);
}
