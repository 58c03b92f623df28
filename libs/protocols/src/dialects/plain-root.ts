import { isObject, type JsonObject } from '../json.ts';
import type { Tool } from '../neutral/request.ts';

type FunctionTool = Extract<Tool, { kind: 'function' }>;

const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords that OpenAI and Anthropic refuse at the root of a schema, and nowhere else. */
const ROOT: readonly string[] = [...ALTERNATIVES, 'enum', 'not'];

export const hasPlainRoot = (schema: JsonObject): boolean =>
  ROOT.every((keyword) => schema[keyword] === undefined);

/** A function that takes what any alternative at the root of its schema names; its description says which belong together. */
export function withPlainRoot(tool: FunctionTool): FunctionTool {
  const { parameters: schema } = tool;
  if (hasPlainRoot(schema)) return tool;
  const isMoved = (keyword: string) => ROOT.includes(keyword) && schema[keyword] !== undefined;
  const alternatives = ALTERNATIVES.flatMap((keyword) => {
    const inner: unknown = schema[keyword];
    return Array.isArray(inner) ? (inner as unknown[]) : [];
  });
  const properties = Object.fromEntries([...alternatives, schema].flatMap(propertiesOf));
  const kept = Object.entries(schema).filter(([keyword]) => !isMoved(keyword));
  const moved = Object.entries(schema).filter(([keyword]) => isMoved(keyword));
  const words = moved.map(([keyword, value]) => `${keyword} ${JSON.stringify(value)}`).join(', ');
  return {
    ...tool,
    description: [tool.description, `The arguments must hold: ${words}.`].filter(Boolean).join('\n\n'),
    parameters: { ...Object.fromEntries(kept), properties },
  };
}

const propertiesOf = (schema: unknown): [string, unknown][] =>
  isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
