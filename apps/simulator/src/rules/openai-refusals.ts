import { bracketPath, type Finding } from './shape.ts';
import type { Json } from '../question.ts';
import { findFirst, type Refusal } from './rule.ts';

/** A complaint of OpenAI about one parameter. */
export const openaiRefusal = (message: string, param?: string, code?: string): Refusal => ({
  status: 400,
  message,
  ...(param === undefined ? {} : { param }),
  ...(code === undefined ? {} : { code }),
});

export const unknownParameter = ({ path, member }: Finding): Refusal => {
  const param = bracketPath([...path, member]);
  return openaiRefusal(`Unknown parameter: '${param}'.`, param, 'unknown_parameter');
};

export const unsupportedParameter = (param: string, hint = ''): Refusal =>
  openaiRefusal(
    `Unsupported parameter: '${param}' is not supported with this model.${hint}`,
    param,
    'unsupported_parameter',
  );

export const invalidTag = ({ path, member, expected = [] }: Finding, value: unknown): Refusal =>
  openaiRefusal(
    `Invalid value: '${String(value)}'. Supported values are: ${enumerate(expected)}.`,
    bracketPath([...path, member]),
    'invalid_value',
  );

/** `'a', 'b', and 'c'`. */
export function enumerate(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
}

export function findTooLong(param: string, value: unknown, max: number): Refusal | undefined {
  if (typeof value !== 'string' || value.length <= max) return undefined;
  return openaiRefusal(
    `Invalid '${param}': string too long. Expected a string with maximum length ${max}, but got a string with length ${value.length} instead.`,
    param,
    'string_above_max_length',
  );
}

function findUnmatched(param: string, value: unknown, pattern: RegExp): Refusal | undefined {
  if (typeof value !== 'string' || pattern.test(value)) return undefined;
  return openaiRefusal(
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`,
    param,
    'invalid_value',
  );
}

export const findEmptyArray = (param: string, value: unknown): Refusal | undefined =>
  Array.isArray(value) && value.length === 0
    ? openaiRefusal(
        `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        param,
        'empty_array',
      )
    : undefined;

export function findBelow(param: string, value: unknown, min: number): Refusal | undefined {
  if (typeof value !== 'number' || value >= min) return undefined;
  return openaiRefusal(
    `Invalid '${param}': integer below minimum value. Expected a value >= ${min}, but got ${value} instead.`,
    param,
    'integer_below_min_value',
  );
}

const TOOL_NAME = /^[a-zA-Z0-9_-]+$/;

/** A name of a tool that is too long or has other characters. */
export const findBadToolName = (param: string, name: unknown): Refusal | undefined =>
  findTooLong(param, name, 64) ?? findUnmatched(param, name, TOOL_NAME);

const LENGTHS = { user: 64, safety_identifier: 64, prompt_cache_key: 64 } as const;

export const findLongIdentifier = (body: Json): Refusal | undefined =>
  findFirst(Object.entries(LENGTHS), ([name, max]) => findTooLong(name, body[name], max));
