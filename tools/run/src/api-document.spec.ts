import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOperations, SERVICES } from '@tollgate/api';
import { apiDocument } from './api-document.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/api.md'), 'utf8');

test('docs/api.md says what the contract does; if not, run npm run docs', () => {
  expect(page).toBe(apiDocument());
});

test.each(Object.values(SERVICES).flatMap(({ resources }) => listOperations(resources)))(
  'it has one row of %s',
  (_name, { method, path }) => {
    const row = `| \`${method} ${path.replace(/:(\w+)/g, '{$1}')}\` `;
    expect(page.split('\n').filter((line) => line.startsWith(row))).toHaveLength(1);
  },
);
