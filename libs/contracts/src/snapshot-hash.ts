import { createHash } from 'node:crypto';

/** The name of a snapshot: lower-case hexadecimal SHA-256 of the catalogue as {@link canonicalJson}. */
export function snapshotHash(catalogue: unknown): string {
  return createHash('sha256').update(canonicalJson(catalogue)).digest('hex');
}

/** JSON with the keys of every object in code unit order and no white space: one text for one value. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
