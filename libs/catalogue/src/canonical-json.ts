/** JSON with the keys of every object in code unit order and no white space: one text for one value. */
export const canonicalJson = (value: unknown): string => JSON.stringify(inOrder(value));

/** A copy with all keys in order: a replacer, called for each part, would take several times as long. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((part) => inOrder(part));
  // Such as a date.
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return inOrder(JSON.parse(JSON.stringify(value)));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted()) {
    const part = inOrder((value as Record<string, unknown>)[key]);
    // Assigned, it would be no key but the copy's prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, enumerable: true });
    else copy[key] = part;
  }
  return copy;
}
