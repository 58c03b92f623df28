/** The entries of a setting that is a list. Blanks around them, and entries without anything, say nothing. */
export const splitAtCommas = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
