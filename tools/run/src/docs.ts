// `npm run docs`: writes the pages that the code decides.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocolsDocument } from './protocols-document.ts';

writeFileSync(join(import.meta.dirname, '../../../docs/protocols.md'), protocolsDocument());
