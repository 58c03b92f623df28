/** Notes something that should not be, with an example of it. */
export type Find = (what: string, example: string) => void;

/** Gathers findings by what they are: how many there are of each, and the first of them. */
export function createFindings(): { readonly find: Find; readonly findings: () => readonly string[] } {
  const found = new Map<string, { count: number; readonly example: string }>();
  return {
    find(what, example) {
      const known = found.get(what);
      if (known) known.count += 1;
      else found.set(what, { count: 1, example });
    },
    findings: () => [...found].map(([what, { count, example }]) => `${count} ${what} (${example})`),
  };
}
