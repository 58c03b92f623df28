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

/** Undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Drops the kinds that count zero. */
export const nonZero = <T extends Record<string, number>>(counts: T): Partial<T> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;
