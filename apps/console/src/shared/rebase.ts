const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field may be called as something that every object inherits: `constructor` is a name of a unit or a header like any other. */
const fieldOf = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

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
      const value = rebase<unknown>(fieldOf(begun, name), fieldOf(typed, name), fieldOf(theirs, name));
      return value === undefined ? [] : [[name, value]];
    }),
  ) as T;
}
