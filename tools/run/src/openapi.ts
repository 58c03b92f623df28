// `npm run openapi`: writes what the services describe to where the console's client is generated from.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withOwnStack } from './own-stack.ts';

const DOCUMENTS = join(import.meta.dirname, '..', '..', '..', 'apps', 'console', 'src', 'api', 'openapi');
const ROUTES = { billing: '/api/openapi.json', pricing: '/api/catalogue/openapi.json' };

await withOwnStack(async ({ baseUrl, admin }) => {
  const signedIn = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  const cookie = signedIn.headers.getSetCookie().join('; ');
  for (const [name, path] of Object.entries(ROUTES)) {
    const answer = await fetch(`${baseUrl}${path}`, { headers: { cookie } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    writeFileSync(join(DOCUMENTS, `${name}.json`), `${JSON.stringify(await answer.json(), null, 2)}\n`);
    process.stdout.write(`${name}.json is written\n`);
  }
});
