// `npm run clients`: real clients, as docs/set-up-clients.md sets them up, on models of all four upstream formats, on a stack of its own. With `--write`
// the page docs/clients.md is made of it. `--only Codex` runs what is named so, and writes nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '@tollgate/harness';
import { format } from 'oxfmt';
import { type TestStack, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { runAgents } from './agents.ts';
import { CLIENTS_DOCUMENT, clientsDocument, toLine, type RunOf } from './document.ts';
import { type ClientKind, installClients } from './install.ts';
import { runLibraries } from './libraries.ts';
import { listFailures, matrixRows } from './matrix.ts';
import { makeKnownNames, makeUpstreamModels } from './upstreams.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean', default: false } },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

type Target = Parameters<typeof runAgents>[1];
const RUN = { agents: runAgents, libraries: runLibraries } as const;

async function run(kind: ClientKind, at: Target): Promise<RunOf> {
  let directory: string;
  try {
    directory = await installClients(kind);
  } catch (error) {
    const skipped = `the ${kind} could not be installed: ${(error as Error).message.split('\n')[0] ?? ''}`;
    say(`SKIPPED: ${skipped}`);
    return { skipped };
  }
  const checked = await RUN[kind](directory, at, values.only);
  for (const row of matrixRows(checked)) say(toLine(row));
  return { checked };
}

async function clients(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-clients-'));
  const stack = await startTestStack({ home, port: await freePort() });
  try {
    const { baseUrl } = stack;
    const at: TestStack = { ...stack, home, cookie: await signIn(baseUrl, testAdmin) };
    const key = await makeUpstreamModels(at, 'clients');
    const target = { baseUrl, key, knownKeys: await makeKnownNames(at, 'clients') };
    const runs = { libraries: await run('libraries', target), agents: await run('agents', target) };
    const failures = Object.values(runs).flatMap((each) =>
      'checked' in each ? listFailures(each.checked) : [],
    );
    for (const failure of failures) say(`WRONG: ${failure}`);
    if (values.write && values.only === undefined)
      writeFileSync(CLIENTS_DOCUMENT, (await format(CLIENTS_DOCUMENT, clientsDocument(runs))).code);
    return failures.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await clients();
} catch (error) {
  say((error as Error).stack ?? String(error));
  process.exitCode = 2;
}
