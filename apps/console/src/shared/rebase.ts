import { findOwn } from '@tollgate/vocabulary';
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * What was typed, on top of what somebody else made meanwhile of what both began with: a field that was left alone is theirs.
 * A list is one field.
 */
export function rebase<T>(begun: T, typed: T, theirs: T): T {
  if (isSame(typed, begun)) return theirs;
  if (!isRecord(begun) || !isRecord(typed) || !isRecord(theirs)) return typed;
  const names = new Set([...Object.keys(theirs), ...Object.keys(typed)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, unknown][] => {
      const value = rebase<unknown>(findOwn(begun, name), findOwn(typed, name), findOwn(theirs, name));
      return value === undefined ? [] : [[name, value]];
    }),
  ) as T;
}
