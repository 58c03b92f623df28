/**
 * What a record has under a name that comes from outside. Indexed by `constructor`, `toString` or any other name that every
 * object inherits, it would answer with a function where it has nothing.
 */
export const findOwn = <V>(record: Readonly<Partial<Record<string, V>>>, name: string): V | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
