import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkBooks } from '@tollgate/chaos/check-books';
import { freePort, type RunningStack, newStackSecrets } from '@tollgate/harness';
import { openBooks } from '../books.ts';
import { call, GOOD } from '../call.ts';
import { startTestStack } from '../test-stack.ts';

// The commands of one machine: they work on a home directory of their own.
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const home = mkdtempSync(join(tmpdir(), 'tollgate-home-'));
const backups = mkdtempSync(join(tmpdir(), 'tollgate-backups-'));
const secrets = newStackSecrets();
let stack: RunningStack | undefined;

afterAll(async () => {
  await stack?.stop();
  for (const directory of [home, backups]) rmSync(directory, { recursive: true, force: true });
}, 60_000);

async function start(apiKey: string, ports?: RunningStack['ports']): Promise<RunningStack> {
  const port = ports?.['gateway'] ?? (await freePort());
  stack = await startTestStack({ home, port, secrets, apiKey, ...(ports ? { ports } : {}) });
  // What the launcher leaves beside the data.
  writeFileSync(join(home, 'dev.json'), JSON.stringify({ database_url: stack.databaseUrl }));
  writeFileSync(join(home, 'state.json'), JSON.stringify({ secrets }));
  return stack;
}

const command = async (name: string, argument: string): Promise<string> => {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', `tools/run/src/${name}.ts`, argument],
    { cwd: ROOT, env: { ...env, TOLLGATE_HOME: home } },
  );
  return stdout.trim();
};

async function askOnce({ baseUrl, apiKey, databaseUrl }: RunningStack): Promise<string> {
  const answer = await call(`${baseUrl}${GOOD.chat.path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    body: GOOD.chat.body,
  });
  const id = answer.headers.get('x-request-id') ?? '';
  const books = openBooks(databaseUrl);
  await books.usage(id);
  await books.close();
  return id;
}

test('npm run backup and npm run restore: the deployment is as it was at the backup, with what it lost kept beside', async () => {
  const first = await start('new');
  const kept = await askOnce(first);
  const backup = await command('backup', backups);
  expect(readdirSync(backups)).toEqual([backup.slice(backups.length + 1)]);
  const lost = await askOnce(first);
  await first.stop();
  rmSync(join(home, 'state.json'));

  await command('restore', backup);
  expect(JSON.parse(readFileSync(join(home, 'state.json'), 'utf8'))).toEqual({ secrets });
  const second = await start(first.apiKey, first.ports);
  expect(second.apiKey).toBe(first.apiKey);
  const after = await askOnce(second);
  const { rows, findings } = await checkBooks(second.databaseUrl, [kept, after]);
  expect({ rows, findings }).toEqual({ rows: 2, findings: [] });
  expect((await checkBooks(second.databaseUrl, [lost])).findings).toHaveLength(1);
  const [aside = ''] = readdirSync(home).filter((name) => name.startsWith('before-'));
  expect(existsSync(join(home, aside, 'postgres', 'PG_VERSION'))).toBe(true);
}, 180_000);
