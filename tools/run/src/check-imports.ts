// `npm run lint`: whether imports cross a boundary or run in a circle. Directories of projects may be named.
import { join } from 'node:path';
import { findCrossings } from './imports/boundaries.ts';
import { findCycles } from './imports/cycles.ts';
import { KNOWN_CYCLES } from './imports/known-cycles.ts';
import { readImports, readProjects } from './imports/read-imports.ts';

const root = join(import.meta.dirname, '../../..');
const directories = process.argv.slice(2);
const projects = readProjects(root);
const checked = projects.filter(
  ({ directory }) => directories.length === 0 || directories.includes(directory),
);
const imports = checked.flatMap((project) => readImports(root, project, projects));
const cycles = findCycles(imports);

const isKnown = (file: string) => KNOWN_CYCLES.has(file);
const isChecked = (file: string) => checked.some(({ directory }) => file.startsWith(`${directory}/`));
const ended = [...KNOWN_CYCLES].filter((file) => isChecked(file) && !cycles.flat().includes(file));
const faults = [
  ...findCrossings(imports, projects),
  ...cycles
    .filter((files) => !files.every(isKnown))
    .map((files) => `These import each other in a circle:\n  ${files.join('\n  ')}`),
  ...ended.map((file) => `${file} is in no circle any more: take it out of known-cycles.ts.`),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
