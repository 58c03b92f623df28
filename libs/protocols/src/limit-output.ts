import type { ClientProtocol } from '@tollgate/vocabulary';
import { budgetWithin } from './neutral/effort.ts';
import { isObject, type JsonObject } from './json.ts';
import { CODECS } from './registry.ts';

interface LimitedOutput {
  /** Top-level fields that say something else. */
  readonly changes: JsonObject;
  /** The fields that were above the limit, by path. */
  readonly limited: readonly string[];
}

/** Lowers every limit of output tokens that is above `max`, and what must stay below it. */
export function limitOutput(protocol: ClientProtocol, body: JsonObject, max: number): LimitedOutput {
  let changed = body;
  const limited: string[] = [];
  for (const { path, role, isWithinLimit } of CODECS[protocol].outputFields) {
    if (role !== 'limit' && !isWithinLimit) continue;
    const value = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), changed);
    if (typeof value !== 'number') continue;
    const lowered = role === 'limit' ? Math.min(value, max) : budgetWithin(value, max);
    if (lowered >= value || (role !== 'limit' && limited.length === 0)) continue;
    limited.push(path.join('.'));
    changed = withValue(changed, path, lowered);
  }
  const names = Object.keys(changed).filter((name) => changed[name] !== body[name]);
  return { changes: Object.fromEntries(names.map((name) => [name, changed[name]])), limited };
}

function withValue(object: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = object[name];
  return { ...object, [name]: rest.length > 0 && isObject(inner) ? withValue(inner, rest, value) : value };
}
