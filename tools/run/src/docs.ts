// `npm run docs`: writes the pages that the code decides.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from './api-document.ts';
import { protocolsDocument } from './protocols-document.ts';
import { providersDocument } from './providers-document.ts';
import { simulatorDocument } from './simulator-document.ts';

const write = (name: string, text: string) =>
  writeFileSync(join(import.meta.dirname, '../../../docs', name), text);

write('api.md', apiDocument());
write('protocols.md', protocolsDocument());
write('providers.md', providersDocument());
write('simulator.md', simulatorDocument());
