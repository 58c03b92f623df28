// `npm run bench -- scale`: works the tables of docs/scale.md out from what was measured; with `--write` it puts them there.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeBetween } from './relay/write-between.ts';
import { SCALE_PARTS } from './scale/tables.ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/scale.md');
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

for (const { marks, text } of SCALE_PARTS) {
  if (values.write) await writeBetween(DOCUMENT, marks, text());
  else console.log(`${text()}\n`);
}
