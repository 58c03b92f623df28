// `npm run new:lib -- <name>`: makes a lib and everything that names it. Needs no registry.
import { join } from 'node:path';
import { noteInstalled } from '../install.mjs';
import { createLib, linkLib } from './create-lib.ts';

const ROOT = join(import.meta.dirname, '../../..');

const [name = ''] = process.argv.slice(2);
try {
  const written = await createLib(ROOT, name);
  linkLib(ROOT, name);
  noteInstalled(ROOT);
  process.stdout.write(
    `${written.map((path) => `  ${path}\n`).join('')}Say in docs/architecture.md what lives in libs/${name}. ` +
      'What else it may import stands in tools/run/src/imports/boundaries.ts.\n',
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
