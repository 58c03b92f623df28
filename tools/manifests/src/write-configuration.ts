// A part of `npm run docs`: writes the page of every variable.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationDocument } from './configuration-document.ts';
import { ROOT } from './manifest.ts';

writeFileSync(join(ROOT, 'docs/configuration.md'), configurationDocument());
