import { isObject, list, type Json } from '../question.ts';

/** What OpenAI says of a schema that it does not take, without its first words. */
export function findBadSchema(schema: unknown, strict: boolean): string | undefined {
  if (!isObject(schema) || schema['type'] !== 'object') {
    const type = isObject(schema) && typeof schema['type'] === 'string' ? `"${schema['type']}"` : '"None"';
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${type}'.`;
  }
  return ROOT.some((keyword) => schema[keyword] !== undefined)
    ? "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    : findInSchema(schema, strict, []);
}

/** Keywords that are refused at the root alone. */
const ROOT = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

function findInSchema(schema: unknown, strict: boolean, context: readonly string[]): string | undefined {
  if (!isObject(schema)) return undefined;
  const at = `In context=${tuple(context)}, `;
  if (schema['type'] === 'array' && schema['items'] === undefined && schema['prefixItems'] === undefined) {
    return `${at}array schema missing items.`;
  }
  const open = strict ? findOpen(schema) : undefined;
  if (open) return at + open;
  for (const [keyword, inner, name] of innerSchemas(schema)) {
    const found = findInSchema(inner, strict, [...context, keyword, ...(name === undefined ? [] : [name])]);
    if (found) return found;
  }
  return undefined;
}

/** Strict schemas are closed, and require all that they name. */
function findOpen(schema: Json): string | undefined {
  const isForObjects = schema['type'] === 'object' || isObject(schema['properties']);
  if (!isForObjects) return undefined;
  if (schema['additionalProperties'] !== false) {
    return "'additionalProperties' is required to be supplied and to be false.";
  }
  const required = list(schema['required']);
  const missing = Object.keys(isObject(schema['properties']) ? schema['properties'] : {}).find(
    (name) => !required.includes(name),
  );
  return missing === undefined
    ? undefined
    : `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

type Inner = readonly [keyword: string, schema: unknown, name?: string];

/** The schemas inside of one, as far as OpenAI walks. */
export function innerSchemas(schema: Json): readonly Inner[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((keyword): Inner[] =>
    Object.entries(isObject(schema[keyword]) ? schema[keyword] : {}).map(([name, inner]) => [
      keyword,
      inner,
      name,
    ]),
  );
  const several = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword): Inner[] =>
    list(schema[keyword]).map((inner, index) => [keyword, inner, String(index)]),
  );
  return [...named, ...several, ...(isObject(schema['items']) ? [['items', schema['items']] as const] : [])];
}

/** As Python writes a tuple. */
const tuple = (steps: readonly string[]): string =>
  `(${steps.map((step) => `'${step}'`).join(', ')}${steps.length === 1 ? ',' : ''})`;
