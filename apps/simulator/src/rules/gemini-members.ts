import { field } from '../question.ts';

export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A member in either of the spellings that Google reads. */
export const read = (value: unknown, name: string): unknown =>
  field(value, name) ?? field(value, snakeCase(name));
