// `npm run bench -- scale`: works the tables of docs/scale.md out from what was measured; with `--write` it puts them there.
import { parseArgs } from 'node:util';
import { SCALE_PARTS } from './scale/tables.ts';
import { writePart } from './write-part.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

for (const [part, text] of Object.entries(SCALE_PARTS)) {
  if (values.write) await writePart('scale.md', part, text());
  else console.log(`${text()}\n`);
}
