// `npm run lint`: whether imports cross a boundary or run in a circle. Directories of projects may be named.
import { join } from 'node:path';
import { findCrossings } from './imports/boundaries.ts';
import { findCycles } from './imports/cycles.ts';
import { readImports, readProjects } from './imports/read-imports.ts';

const root = join(import.meta.dirname, '../../..');
const directories = process.argv.slice(2);
const projects = readProjects(root);
const checked = projects.filter(
  ({ directory }) => directories.length === 0 || directories.includes(directory),
);
const imports = checked.flatMap((project) => readImports(root, project, projects));
const faults = [
  ...findCrossings(imports, projects),
  ...findCycles(imports).map((files) => `These import each other in a circle:\n  ${files.join('\n  ')}`),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
