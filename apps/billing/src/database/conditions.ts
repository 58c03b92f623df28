/** The conditions of a query whose filters may be left out. */
export interface Conditions {
  /** What the places `$1`, `$2` and so on stand for. */
  readonly values: unknown[];
  /** Adds a condition, written with the place of its value; nothing where there is no value. */
  where(condition: (place: string) => string, value: unknown): void;
  /** Adds conditions that have their values already. */
  add(...conditions: readonly string[]): void;
  /** All of them, as they follow WHERE. */
  joined(): string;
}

export function createConditions(): Conditions {
  const conditions: string[] = [];
  const values: unknown[] = [];
  return {
    values,
    where(condition, value) {
      if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
    },
    add: (...added) => void conditions.push(...added),
    joined: () => (conditions.length === 0 ? 'true' : conditions.join(' AND ')),
  };
}
