// The entry of every npm script. It is plain JavaScript without dependencies for any Node from 18 on: it installs what
// is missing and goes on under the Node of node_modules.
import { spawn } from 'node:child_process';
import { dirname, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, lookAt, noteBuilt } from './built.mjs';
import { HELP } from './help.mjs';
import { install } from './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = join(root, 'node_modules', '.bin');
const say = (text) => process.stderr.write(`${text}\n`);

const NX = ['--output-style=static', '--skip-remote-cache'];
const BUILD = ['nx', 'run-many', '-t', 'build', 'bundle', ...NX];
/**
 * All Node projects are one program, so that what they share is read and checked once; a second checker would check most
 * of it again. `nx affected -t typecheck` checks project by project.
 */
const TSC = ['node', 'node_modules/typescript-native/bin/tsc', '--checkers', '1', '-p'];
const NODE = ['node', '--disable-warning=ExperimentalWarning'];

/** What the loader of programs ends with where a library is missing. */
const NOT_LOADED = 127;

/** What is measured when no suite is named, in short forms. */
const SUITES = {
  conversion: [],
  relay: ['--quick'],
  leasing: [],
  posting: [],
  exports: ['100000'],
};

/** What each command runs, one after the other, until one fails. */
const COMMANDS = {
  build: () => [BUILD],
  typecheck: () => [
    ['nx', 'run', '@tollgate/console:generate', ...NX],
    [...TSC, 'tsconfig.json'],
    [...TSC, 'apps/console/tsconfig.json'],
  ],
  lint: () => [['oxlint'], [...NODE, 'tools/run/src/check-imports.ts'], ['oxfmt', '--check']],
  format: () => [['oxfmt']],
  test: (args) => [BUILD, ['node', 'tools/run/test.mjs', ...args]],
  start: (args) => [
    [...BUILD, '--verbose=false'],
    [...NODE, 'tools/run/src/start.ts', ...args],
  ],
  fuzz: (args) => [BUILD, [...NODE, 'tools/fuzz/src/fuzz.ts', ...args]],
  bench: ([name, ...args]) => [
    BUILD,
    ...(name ? [[name, args]] : Object.entries(SUITES)).map(([suite, how]) => [
      ...NODE,
      `tools/bench/src/${suite}.ts`,
      ...how,
    ]),
  ],
  chaos: (args) => [BUILD, [...NODE, 'tools/chaos/src/chaos.ts', ...args]],
  hostile: (args) => [BUILD, [...NODE, 'apps/e2e/src/hostile/hostile.ts', ...args]],
  backup: (args) => [[...NODE, 'tools/run/src/backup.ts', ...args]],
  restore: (args) => [[...NODE, 'tools/run/src/restore.ts', ...args]],
  docs: () => [
    BUILD,
    [...NODE, 'tools/run/src/docs.ts'],
    [...NODE, 'tools/manifests/src/write-configuration.ts'],
  ],
  'new:lib': (args) => [[...NODE, 'tools/run/src/new-lib.ts', ...args]],
  tollgate: (args) => [BUILD, [...NODE, 'tools/run/src/tollgate.ts', ...args]],
  clients: (args) => [BUILD, [...NODE, 'apps/e2e/src/clients/clients.ts', ...args]],
  images: (args) => [[...NODE, 'tools/manifests/src/images/images.ts', ...args]],
  speed: (args) => [BUILD, [...NODE, 'tools/run/src/console-speed.ts', ...args]],
  screenshots: (args) => [BUILD, [...NODE, 'tools/run/src/screenshots.ts', ...args]],
};

function run([program, ...args], quiet) {
  const launcher = args.at(-1)?.endsWith('start.ts') ?? false;
  const child = spawn(join(bin, program), args, {
    cwd: root,
    stdio: quiet
      ? ['ignore', 'pipe', 'pipe']
      : launcher
        ? ['inherit', 'inherit', 'inherit', 'ipc']
        : 'inherit',
    // The launcher has a group of its own and a channel to us: a Ctrl-C reaches it once, through us, and it ends in
    // order when we are gone.
    detached: launcher,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      NX_NO_CLOUD: 'true',
      NX_SKIP_NX_CACHE: process.env.NX_SKIP_NX_CACHE ?? 'false',
    },
  });
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  const pass = (signal) => () => child.kill(signal);
  const handlers = { SIGINT: pass('SIGINT'), SIGTERM: pass('SIGTERM'), SIGHUP: pass('SIGHUP') };
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  const orphaned = watchParent(() => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('error', (error) => {
      say(`${program} could not be started: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      clearInterval(orphaned);
      for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
      if (code !== 0 && quiet) process.stderr.write(Buffer.concat(output));
      if (code === NOT_LOADED)
        say(
          'Node of node_modules could not be loaded, for a library that it is linked with is missing: on Debian and Ubuntu "apt-get install libatomic1" brings it.',
        );
      resolve(signal ? 130 : code);
    });
  });
}

/** npm that is killed tells nobody: its child has another parent from then on. */
function watchParent(onGone) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.env.npm_lifecycle_event && process.ppid !== parent) onGone();
  }, 500);
  timer.unref();
  return timer;
}

const [name, ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined;
if (!command) {
  say(`Usage: npm run ${Object.keys(COMMANDS).join(' | ')}`);
  process.exit(2);
}
// That of `tollgate` is its own, and longer.
if (name !== 'tollgate' && args.some((arg) => arg === '--help' || arg === '-h')) {
  process.stdout.write(`${HELP[name]}\n`);
  process.exit(0);
}

try {
  await install(root, say);
  for (const step of command(args)) {
    const isBuild = step[0] === 'nx' && step.includes('build');
    const isAsked = name === 'build';
    if (isBuild && !isAsked && isBuilt(root)) continue;
    if (isBuild && !isAsked) say('Building what changed');
    const sources = isBuild ? lookAt(root).sources : undefined;
    const code = await run(step, step[0] === 'nx' && name !== 'build');
    if (code !== 0) process.exit(code);
    if (sources !== undefined) noteBuilt(root, sources);
  }
} catch (error) {
  say(`Tollgate: ${error.message}`);
  process.exit(1);
}
