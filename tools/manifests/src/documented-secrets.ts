import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './manifest.ts';

/** The Secrets that `docs/kubernetes.md` asks for, with their keys: the rows of its table of Secrets. */
export function readDocumentedSecrets(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(tollgate-[a-z-]+)`\s*\| (`[^|]+`)\s*\|/gm)];
  return new Map(
    rows.map(([, name = '', keys = '']) => [
      name,
      [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key),
    ]),
  );
}
