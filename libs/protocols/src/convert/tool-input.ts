import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { Tool } from '../neutral/request.ts';

/** Arguments as the object that some formats want; a text that is no JSON object is kept whole under `_raw`. */
export function inputObject(input: string): JsonObject {
  if (input.trim() === '') return {};
  const value = parseJson(input);
  return isObject(value) ? value : { _raw: input };
}

/** The other way round: what was kept whole comes back as it was. */
export const inputText = (value: unknown): string =>
  isObject(value) && Object.keys(value).length === 1 && typeof value['_raw'] === 'string'
    ? value['_raw']
    : JSON.stringify(value ?? {});

/** A free-form tool as a function that takes one text. */
export function customAsFunction(tool: Extract<Tool, { kind: 'custom' }>): {
  description: string;
  parameters: JsonObject;
} {
  const grammar = tool.grammar
    ? `\n\nThe input must follow this ${tool.grammar.syntax} grammar:\n${tool.grammar.definition}`
    : '';
  return {
    description: `${tool.description ?? ''}${grammar}`.trim(),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool' } },
      required: ['input'],
    },
  };
}

export const customInput = (text: string): JsonObject => ({ input: text });

/** The free text in the arguments of such a function. */
export function customText(input: string): string {
  const value = inputObject(input);
  return typeof value['input'] === 'string' ? value['input'] : input;
}

/** Function parameters as a schema of an object, with the type names that JSON schema knows. */
export function objectSchema(schema: unknown): JsonObject {
  const lowered = lowerTypes(schema);
  return isObject(lowered) && lowered['type'] !== undefined
    ? lowered
    : { type: 'object', properties: {}, ...(isObject(lowered) ? lowered : {}) };
}

/** Gemini's clients write types in capitals, which JSON schema does not know. */
export function lowerTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerTypes);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (VALUES.has(key)) return [key, value];
      if (NAMED.has(key) && isObject(value)) return [key, mapValues(value, lowerTypes)];
      if (key !== 'type') return [key, lowerTypes(value)];
      return [key, Array.isArray(value) ? value.map(lowerType) : lowerType(value)];
    }),
  );
}

/** Keywords whose values are no schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** Keywords whose keys are names, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

const mapValues = (value: JsonObject, change: (inner: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));

const lowerType = (type: unknown): unknown =>
  typeof type === 'string' ? type.toLowerCase() : lowerTypes(type);
