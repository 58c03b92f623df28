import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { house } from '../house.ts';

const DOCUMENTS = join(import.meta.dirname, '..', '..', '..', 'console', 'src', 'api', 'openapi');

test.each([
  ['billing', '/api/openapi.json'],
  ['pricing', '/api/catalogue/openapi.json'],
])(
  'the console was generated from what %s describes; `npm run openapi` writes it anew',
  async (name, path) => {
    const answer = await fetch(`${house().baseUrl}${path}`, { headers: { cookie: house().cookie } });
    expect(JSON.parse(readFileSync(join(DOCUMENTS, `${name}.json`), 'utf8'))).toEqual(await answer.json());
  },
);
