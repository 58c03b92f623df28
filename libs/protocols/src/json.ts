/** A JSON value of unknown shape, read with care: every look inside answers undefined where the shape differs. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectAt = (value: unknown, key: string): JsonObject | undefined => {
  const inner = isObject(value) ? value[key] : undefined;
  return isObject(inner) ? inner : undefined;
};

export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const inner = isObject(value) ? value[key] : undefined;
  return Array.isArray(inner) ? inner : [];
};

export const textAt = (value: unknown, key: string): string => {
  const inner = isObject(value) ? value[key] : undefined;
  return typeof inner === 'string' ? inner : '';
};

/** A token count: a whole number from zero up, else 0. */
export const countAt = (value: unknown, key: string): number => {
  const inner = isObject(value) ? value[key] : undefined;
  return typeof inner === 'number' && Number.isSafeInteger(inner) && inner > 0 ? inner : 0;
};

/** Undefined where the text is no JSON, or is nested too deeply to be written again. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value, text.length) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Far above what people and models nest, and far below where JSON.stringify runs out of stack. */
export const MAX_LEVELS = 256;

/** Whether a parsed value of so many characters has more levels than are read. */
export const isTooDeep = (value: unknown, characters: number): boolean =>
  characters > 2 * MAX_LEVELS && hasMoreLevels(value, MAX_LEVELS);

function hasMoreLevels(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => hasMoreLevels(inner, levels - 1));
  for (const key in value) if (hasMoreLevels((value as JsonObject)[key], levels - 1)) return true;
  return false;
}

/** Drops the kinds that count zero. */
export function nonZero<T extends Record<string, number>>(counts: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const kind in counts) if (counts[kind] !== 0) kept[kind] = counts[kind];
  return kept;
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The object without its members that are undefined. */
export const given = <T extends object>(members: T): Partial<Given<T>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Given<T>>;

/** A number, or undefined for anything else. */
export const numberAt = (value: unknown, key: string): number | undefined => {
  const inner = isObject(value) ? value[key] : undefined;
  return typeof inner === 'number' ? inner : undefined;
};

/** A boolean, or undefined for anything else. */
export const booleanAt = (value: unknown, key: string): boolean | undefined => {
  const inner = isObject(value) ? value[key] : undefined;
  return typeof inner === 'boolean' ? inner : undefined;
};

/** A text that is not empty, or undefined for anything else. */
export const someTextAt = (value: unknown, key: string): string | undefined =>
  textAt(value, key) || undefined;
