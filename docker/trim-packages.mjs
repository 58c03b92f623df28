// Takes out of node_modules what no running program loads: types, and maps of code that is not ours. Licences stay.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const NOT_LOADED = /\.(?:[cm]?ts|map)$/;

for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
  if (entry.isFile() && NOT_LOADED.test(entry.name)) rmSync(join(entry.parentPath, entry.name));
}
