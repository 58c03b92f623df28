import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../../..');

/** A text of this repository that somebody writes by hand. */
export interface Source {
  /** From the root. */
  readonly path: string;
  readonly text: string;
}

const FOLDERS = '{apps,libs,tools}/*/{src,testing,bin,e2e,scripts,jest}/**';
/** What is generated or built. */
const LEFT_OUT = /(^|\/)(dist|node_modules|generated|\.nx|\.tollgate[^/]*)\//;
/** This check names what it forbids. */
const ITSELF = /^tools\/run\/src\/tidy[/.]/;

const read = (patterns: readonly string[]): Source[] =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: (name) => LEFT_OUT.test(`${name}/`) }))
    .filter((path) => !LEFT_OUT.test(path) && !ITSELF.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

export const readCode = (): Source[] =>
  read([`${FOLDERS}/*.{ts,tsx,mjs,js}`, '{apps,libs,tools}/*/*.{ts,mjs}', '*.mjs']);

/** What people read. Records of decisions stay as they were written. */
export const readDocuments = (): Source[] =>
  read(['*.md', 'docs/**/*.md', 'k8s/**/*.md', '{apps,libs,tools}/**/*.md']).filter(
    ({ path }) => !path.startsWith('docs/adr/'),
  );
