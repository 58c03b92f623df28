import { readFault } from '@tollgate/vocabulary';
import i18next from 'i18next';

function say(text: string): string | undefined {
  const read = readFault(text);
  const { language, services } = i18next;
  const words: unknown = read && i18next.getResource(language, 'faults', read.fault);
  if (!read || typeof words !== 'string') return undefined;
  return `${read.place}: ${services.interpolator.interpolate(words, { ...read.values }, language, {})}`;
}

/** Faults of a catalogue, as services join them, in the reader's language; what cannot be read stays as it is. */
export function sayFaults(text: string): string {
  const parts = text.split('; ');
  const said: string[] = [];
  for (let from = 0; from < parts.length;) {
    // A fault may hold what faults are joined by.
    let to = from + 1;
    while (to < parts.length && say(parts.slice(from, to).join('; ')) === undefined) to += 1;
    const whole = parts.slice(from, to).join('; ');
    const one = say(whole);
    said.push(one ?? parts[from] ?? '');
    from = one === undefined ? from + 1 : to;
  }
  return said.join('; ');
}
