import type { Notes } from '../neutral/notes.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * The stop sequences of a request of any format, undefined where it names none.
 *
 * @param at the field as the client calls it
 * @throws Refusal of anything but texts
 */
export function readStops(value: unknown, at: string, notes: Notes): readonly string[] | undefined {
  const stops: readonly unknown[] = Array.isArray(value) ? value : [value ?? []].flat();
  if (!stops.every(isText)) return notes.refuse(at, 'must be text.');
  return stops.length > 0 ? stops : undefined;
}
