/** What PostgreSQL can keep as text and jsonb: the character NUL and lone surrogates become U+FFFD. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [storableText(name), storable(each)]),
  );
}

export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
