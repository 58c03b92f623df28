import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODECS, FEATURES } from '@tollgate/protocols';
import { PROTOCOLS } from '@tollgate/vocabulary';
import { protocolsDocument } from './protocols-document.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/protocols.md'), 'utf8');

test('docs/protocols.md says what the code does; if not, run npm run docs', () => {
  expect(page).toBe(protocolsDocument());
});

test.each(Object.keys(FEATURES) as (keyof typeof FEATURES)[])(
  'the table of features says of %s what each upstream does with it',
  (feature) => {
    const [, from = ''] = page.split('## What becomes of a feature?');
    const [table = ''] = from.split('## How does an answer tell of it?');
    const rows = table.split('\n').filter((line) => line.startsWith(`| \`${feature}\` `));
    const levels = rows.map((line) => line.split('|').slice(3, -1));
    expect(levels.map((cells) => cells.map((cell) => cell.trim()))).toEqual([
      PROTOCOLS.map((protocol) => CODECS[protocol].conversion.support[feature]),
    ]);
  },
);
