import { isObject, type Json } from '../question.ts';
import { innerSchemas } from './openai-schema.ts';

/** Keywords that the vendor refuses, by the type they limit. */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength'],
  array: ['maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties', 'patternProperties'],
};

/** What the vendor says of a schema that it cannot hold an answer to. */
export function findUnsupported(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  return (
    findOwn(schema) ??
    innerSchemas(schema)
      .map(([, inner]) => findUnsupported(inner))
      .find((found) => found !== undefined)
  );
}

function findOwn(schema: Json): string | undefined {
  const types = [schema['type']].flat().filter((type) => typeof type === 'string');
  for (const type of types) {
    const found = (UNSUPPORTED[type] ?? []).filter((keyword) => schema[keyword] !== undefined);
    if (found.length > 0) {
      const named = found.length === 1 ? 'property' : 'properties';
      const keywords = found.map((keyword) => `'${keyword}'`).join(', ');
      return `For '${type}' type, ${named} ${keywords} ${found.length === 1 ? 'is' : 'are'} not supported`;
    }
  }
  if (types.includes('object') && schema['additionalProperties'] !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  const least = schema['minItems'];
  return typeof least === 'number' && least > 1
    ? "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    : undefined;
}
