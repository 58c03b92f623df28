// `npm start`: everything on this machine, until SIGINT or SIGTERM.
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findRedis, freePort, isFree, type RunningStack, startStack } from '@tollgate/harness';
import { pickProviderVariables, PROVIDERS } from '@tollgate/providers';
import { gatewayProcesses } from './gateway-processes.ts';
import { findHome } from './home.ts';
import { takeHome } from './only-one.ts';
import { loadState, saveState, type State, writePrivate } from './state.ts';

const DEFAULT_PORT = 3000;

const home = findHome(process.env);
const startedAt = Date.now();
const say = (text: string) => process.stdout.write(`${text}\n`);

/** What is printed once everything runs. */
const welcome = (
  { baseUrl, providers }: Pick<RunningStack, 'baseUrl' | 'providers'>,
  state: State,
  home: string,
  tookMs: number,
): string => `
Tollgate runs (started in ${(tookMs / 1_000).toFixed(1)} s)

  Base URL   ${baseUrl}
  API key    ${state.api_key}
  Console    ${baseUrl}/   ${state.admin.email} / ${state.admin.password}
  Details    ${home}/dev.json   logs: ${home}/logs

${providers.length > 0 ? `${providers.join('\n')}\n\n` : ''}Try it:

curl ${baseUrl}/v1/chat/completions \\
  -H 'Authorization: Bearer ${state.api_key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"sim-chat","messages":[{"role":"user","content":"Hello"}]}'

${providers.length > 0 ? '' : 'sim-chat is simulated. For real models: OPENAI_API_KEY=... npm start, or Upstreams > Add a provider in the console.\n'}Ctrl-C stops it; the data is kept.
`;

async function choosePort(): Promise<number> {
  const port = Number(process.env['PORT'] || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`PORT is "${process.env['PORT']}"; it must be a number up to 65535.`);
  }
  if (port === 0) return freePort();
  if (!(await isFree(port))) {
    throw new Error(
      `Port ${port} is taken by another program. Choose another one:\n  PORT=${port + 1} npm start`,
    );
  }
  return port;
}

function writeDevFile(stack: RunningStack, state: State): void {
  writePrivate(join(home, 'dev.json'), {
    base_url: stack.baseUrl,
    api_key: state.api_key,
    admin: state.admin,
    simulator_url: stack.simulatorUrl,
    database_url: stack.databaseUrl,
    redis_url: stack.redisUrl,
    services: Object.fromEntries(
      [...stack.services].map(([name, { url, process }]) => [name, { url, pid: process.pid() }]),
    ),
  });
}

/** What a service said last of settings that it cannot run with. */
function readSettingsFault(service: string): string {
  const lines = readFileSync(join(home, 'logs', `${service}.log`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.slice(lines.findLastIndex((line) => line.startsWith(`${service}: `))).join('\n');
}

async function start(): Promise<void> {
  const end = new AbortController();
  let stack: RunningStack | undefined;
  const giveHome = takeHome(home);
  const stop = () => end.abort(new Error('it was asked to stop'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);

  try {
    rmSync(join(home, 'dev.json'), { force: true });
    const state = loadState(home);
    const port = await choosePort();
    if (!process.env['REDIS_URL']) findRedis(say);
    saveState(home, state);
    const running = await startStack({
      home,
      port,
      secrets: state.secrets,
      admin: state.admin,
      apiKey: state.api_key ?? 'new',
      providerEnvironment: pickProviderVariables(PROVIDERS, process.env),
      ports: state.ports,
      databaseUrl: process.env['DATABASE_URL'] || undefined,
      redisUrl: process.env['REDIS_URL'] || undefined,
      serviceRoles: !process.env['DATABASE_URL'],
      env: async (service): Promise<Record<string, string>> =>
        service === 'gateway'
          ? { GATEWAY_PROCESSES: gatewayProcesses(process.env['GATEWAY_PROCESSES']) }
          : {},
      signal: end.signal,
      say,
      onCrash: (service, how, afterMs) => {
        if (!stack && how === 'exit code 78') end.abort(new Error(readSettingsFault(service)));
        if (end.signal.aborted) return;
        const log = join(home, 'logs', `${service}.log`);
        say(
          `${service} ended (${how}); it is started again in ${afterMs} ms.${existsSync(log) ? ` Its log: ${log}` : ''}`,
        );
      },
      onStart: (service, pid) => {
        if (!stack || end.signal.aborted) return;
        say(`${service} is started again as process ${pid}`);
        // The process map already holds the new id only after this call.
        setImmediate(() => stack && writeDevFile(stack, kept));
      },
    });
    const kept: State = { ...state, api_key: running.apiKey, ports: running.ports };
    saveState(home, kept);
    stack = running;
    writeDevFile(running, kept);
    say(welcome(running, kept, home, Date.now() - startedAt));

    if (!end.signal.aborted) await once(end.signal, 'abort');
    say('Stopping: requests in flight are finished first');
    await running.stop();
    say('Stopped. The data is kept; npm start brings it back.');
  } finally {
    rmSync(join(home, 'dev.json'), { force: true });
    giveHome();
  }
}

start().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`\nTollgate did not start: ${error.message}\n`);
    process.exit(1);
  },
);
