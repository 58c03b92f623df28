import { z } from 'zod';
import { isObject, type JsonObject } from './json.ts';

/** A model identifier: must be there and not be empty. */
export const modelField = z
  .string({ error: 'is required and must be a string' })
  .trim()
  .min(1, 'must not be empty')
  .max(256);

export const streamField = z.boolean({ error: 'must be true or false' }).nullish();

/** A token limit of the interface's table: an integer from 1 up. */
export const atLeastOne = z.int({ error: 'must be an integer' }).min(1, 'must be at least 1');

/** Roles of the interface's ChatMessage; `function` is what old Chat clients still send. */
const CHAT_ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** A message: a known role and content of any shape; an assistant that only called tools may have none. */
const messageField = z
  .looseObject({ role: z.enum(CHAT_ROLES, { error: `must be one of ${CHAT_ROLES.slice(0, 5).join(', ')}` }) })
  .superRefine((message, context) => {
    if (message['content'] === undefined && message.role !== 'assistant') {
      context.addIssue({ code: 'custom', path: ['content'], message: 'is required' });
    }
  });

export const messagesField = z
  .array(messageField, { error: 'is required and must be an array of messages' })
  .min(1, 'must not be empty');

/**
 * What the schemas above take in any case, without asking them: nearly every request is plain, and they cost more than all else
 * that is done to read a small one. What is not plain is theirs to judge, and to say what is wrong with it.
 */
export const isPlain = {
  model: (value: unknown): boolean => typeof value === 'string' && value.length <= 256 && value.trim() !== '',
  messages: (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (message) => isObject(message) && PLAIN_ROLES.has(message['role']) && message['content'] !== undefined,
    ),
  stream: (value: unknown): boolean => value === undefined || typeof value === 'boolean',
  limit: (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1,
} as const;

export const isAbsentOr = (isRight: (value: unknown) => boolean, value: unknown): boolean =>
  value === undefined || isRight(value);

const PLAIN_ROLES: ReadonlySet<unknown> = new Set(CHAT_ROLES);

/** Every string below some values, but not inline data: base64 is not text that a model reads as such. */
export function textsIn(...values: readonly unknown[]): string[] {
  const texts: string[] = [];
  for (const value of values) gatherTexts(value, texts);
  return texts;
}

function gatherTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (!looksLikeData(value)) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const part of value) gatherTexts(part, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) if (!NOT_TEXT.has(key)) gatherTexts((value as JsonObject)[key], texts);
  }
}

const NOT_TEXT = new Set([
  'type',
  'role',
  'id',
  'data',
  'file_data',
  'signature',
  'thoughtSignature',
  'encrypted_content',
  'mimeType',
  'media_type',
]);

const looksLikeData = (text: string) =>
  text.startsWith('data:') || (text.length > 1_000 && /^[A-Za-z0-9+/=_-]{1000}/.test(text));
