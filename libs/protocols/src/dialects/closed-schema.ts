import { isDeepStrictEqual } from 'node:util';
import { findOwn } from '@tollgate/vocabulary';
import { isObject, type JsonObject } from '../json.ts';

/** Formats of strings that a decoder by schema knows. */
const FORMATS = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);

/** Say nothing that has to hold. */
const SILENT = new Set(['$schema', '$id', '$comment', '$anchor', 'propertyOrdering']);

/**
 * A JSON schema as Anthropic's structured output takes it: every object closed, and only keywords that its decoder holds
 * to. What it would refuse stands in the description instead, where the model reads it.
 */
export function closedSchema(schema: JsonObject): {
  readonly schema: JsonObject;
  readonly isChanged: boolean;
} {
  const closed = close(schema) as JsonObject;
  return { schema: closed, isChanged: !isDeepStrictEqual(closed, schema) };
}

function close(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { $defs, definitions, $ref, ...rest } = schema;
  const named = {
    ...(isObject($defs) ? { $defs: closeEach($defs) } : {}),
    ...(isObject(definitions) ? { definitions: closeEach(definitions) } : {}),
  };
  if (typeof $ref === 'string') return { ...named, $ref };
  const { nullable, ...said } = rest;
  if (nullable === true) return { ...named, ...orNull(said) };
  if (Array.isArray(said['type'])) return { ...named, ...oneOfTypes(said, said['type']) };
  return { ...named, ...closeOne(said) };
}

const closeEach = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, close(schema)]));

/** Gemini's way to say that a value may be missing. */
function orNull(schema: JsonObject): JsonObject {
  const { description, title, ...rest } = schema;
  return withWords({ anyOf: [close(rest), { type: 'null' }] }, { description, title });
}

/** A value of several types, each with the keywords that mean something for it. */
function oneOfTypes(schema: JsonObject, types: readonly unknown[]): JsonObject {
  const { type: _type, description, title, ...rest } = schema;
  if (types.length === 1) return closeOne({ ...schema, type: types[0] });
  if (rest['enum'] !== undefined || rest['const'] !== undefined)
    return closeOne({ description, title, ...rest });
  const anyOf = types.map((type) => closeOne({ type, ...keywordsFor(type, rest) }));
  return withWords({ anyOf }, { description, title });
}

const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'minProperties',
    'maxProperties',
    'patternProperties',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['format', 'pattern', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const TYPED = new Set(Object.values(OF_TYPE).flat());

function keywordsFor(type: unknown, keywords: JsonObject): JsonObject {
  const own = findOwn(OF_TYPE, type === 'integer' ? 'number' : String(type)) ?? [];
  const fits = ([keyword]: [string, unknown]) =>
    own.includes(keyword) || (!TYPED.has(keyword) && type !== 'null');
  return Object.fromEntries(Object.entries(keywords).filter(fits));
}

const withWords = (schema: JsonObject, { description, title }: JsonObject): JsonObject => ({
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
  ...schema,
});

/** A schema of one type, or of none. */
function closeOne(schema: JsonObject): JsonObject {
  const kept: Record<string, unknown> = {};
  const moved: [string, unknown][] = [];
  const isObjectSchema = schema['type'] === 'object' || isObject(schema['properties']);
  for (const [keyword, value] of Object.entries(schema)) {
    if (SILENT.has(keyword) || value === undefined) continue;
    const taken = takenValue(keyword, value, schema);
    if (taken !== undefined) kept[keyword === 'oneOf' ? 'anyOf' : keyword] = taken;
    else if (keyword !== 'additionalProperties' || isObject(value)) moved.push([keyword, value]);
  }
  if (isObjectSchema) Object.assign(kept, { type: 'object', additionalProperties: false });
  if (moved.length > 0) {
    const words = `Must hold: ${moved.map(([keyword, value]) => `${keyword} ${JSON.stringify(value)}`).join(', ')}.`;
    kept['description'] =
      typeof kept['description'] === 'string' ? `${kept['description']}\n\n${words}` : words;
  }
  return kept;
}

/** What becomes of a keyword; undefined where it cannot stay. */
function takenValue(keyword: string, value: unknown, schema: JsonObject): unknown {
  switch (keyword) {
    case 'type':
    case 'title':
    case 'description':
    case 'enum':
    case 'const':
    case 'required':
      return value;
    case 'properties':
      return isObject(value) ? closeEach(value) : undefined;
    case 'items':
      return isObject(value) ? close(value) : undefined;
    case 'anyOf':
    case 'allOf':
      return Array.isArray(value) ? value.map(close) : undefined;
    case 'oneOf':
      return Array.isArray(value) && schema['anyOf'] === undefined ? value.map(close) : undefined;
    case 'format':
      return FORMATS.has(String(value)) ? value : undefined;
    case 'minItems':
      return value === 0 || value === 1 ? value : undefined;
    default:
      return undefined;
  }
}
