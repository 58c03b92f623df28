/** The named parameters of an address that hold text; others are left out, and so is what is empty. */
export function readTexts<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { [name in Name]?: string } {
  const found: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && text !== '') found[name] = text;
  }
  return found;
}

/** The same parameters without those that a person emptied. */
export function changed<T extends object>(search: T, change: { [name in keyof T]?: T[name] | undefined }): T {
  const all = Object.entries({ ...search, ...change });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== '')) as T;
}

/** Whether an address says more of a list than its order. */
export const isAnyFilter = (search: object): boolean => Object.keys(search).some((name) => name !== 'sort');
