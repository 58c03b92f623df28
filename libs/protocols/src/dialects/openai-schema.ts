import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../json.ts';

const NAMED = ['properties', '$defs', 'definitions'] as const;
const SEVERAL = ['anyOf', 'oneOf', 'allOf'] as const;

/** A schema of a tool's arguments as OpenAI takes it: every list says what is in it, if only that it may be anything. */
export function withItems(schema: JsonObject): { readonly schema: JsonObject; readonly isChanged: boolean } {
  const whole = itemised(schema) as JsonObject;
  return { schema: whole, isChanged: !isDeepStrictEqual(whole, schema) };
}

function itemised(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const changed = eachInner(schema, itemised);
  const isList = schema['type'] === 'array';
  return isList && schema['items'] === undefined && schema['prefixItems'] === undefined
    ? { ...changed, items: {} }
    : changed;
}

/** Whether OpenAI can hold an answer to a schema: each object in it is closed, and requires all that it names. */
export function isClosed(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { properties, required, type, additionalProperties } = schema;
  if (type === 'object' || isObject(properties)) {
    const needed = new Set<unknown>(Array.isArray(required) ? required : []);
    const names = Object.keys(isObject(properties) ? properties : {});
    if (additionalProperties !== false || !names.every((name) => needed.has(name))) return false;
  }
  let closed = true;
  eachInner(schema, (inner) => {
    closed &&= isClosed(inner);
    return inner;
  });
  return closed;
}

function eachInner(schema: JsonObject, change: (inner: unknown) => unknown): JsonObject {
  const changed: Record<string, unknown> = { ...schema };
  for (const keyword of NAMED) {
    const inner = schema[keyword];
    if (!isObject(inner)) continue;
    changed[keyword] = Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, change(each)]));
  }
  for (const keyword of SEVERAL) {
    const inner = schema[keyword];
    if (Array.isArray(inner)) changed[keyword] = inner.map(change);
  }
  if (isObject(schema['items'])) changed['items'] = change(schema['items']);
  return changed;
}
