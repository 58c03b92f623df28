// `npm run images`: builds every target of docker/Dockerfile, runs docker/compose.yaml with them, bills a request, and stops
// all. Exit codes: 0 all holds; 1 something does not; 69 this machine can't build or run images, and it was said why.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { parseDockerfile } from '../dockerfile.ts';
import { ROOT } from '../manifest.ts';
import { prepareBaseImage } from './base-image.ts';
import { buildImage } from './build-images.ts';
import { makeBuildRoot } from './build-root.ts';
import { checkStack } from './check-stack.ts';
import { SERVERS_IMAGE, SERVERS_PACKAGES, startComposedStack } from './composed-stack.ts';
import { makeDebian } from './debian.ts';
import { findLacks } from './machine.ts';
import { openPodman, type Podman } from './podman.ts';

/** As sysexits.h says it: a service is not available. */
const CANNOT = 69;
const TARGETS = ['gateway', 'billing', 'pricing', 'simulator', 'cli'];

const { values } = parseArgs({
  options: {
    /** Where everything is made; builds of another time are built upon. */
    directory: { type: 'string', default: '/var/tmp/tollgate-images' },
    /** Runs the images that were built before. */
    'no-build': { type: 'boolean', default: false },
  },
});
const started = performance.now();
const say = (text: string) =>
  void process.stdout.write(`${((performance.now() - started) / 1_000).toFixed(0).padStart(4)} s  ${text}\n`);

const readVersion = (): string => {
  const text = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
  const version = /^ARG VERSION=(\S+)$/m.exec(text)?.[1];
  if (version === undefined || parseDockerfile(text).stages.length === 0)
    throw new Error('docker/Dockerfile names no version.');
  return version;
};

async function build(podman: Podman, version: string): Promise<void> {
  say('preparing a root with a buildah that is new enough (Debian sid)');
  const root = await makeBuildRoot(values.directory, ROOT);
  say(await prepareBaseImage(root, values.directory, ROOT));
  for (const target of TARGETS) {
    const from = performance.now();
    await buildImage(root, podman, target, version, join(values.directory, 'work'));
    say(`${target} is built, in ${((performance.now() - from) / 1_000).toFixed(0)} s`);
  }
  say('making an image of PostgreSQL, Valkey and HAProxy (Debian trixie)');
  const servers = await makeDebian(values.directory, 'servers', 'trixie', SERVERS_PACKAGES);
  await podman.run(['import', '--quiet', servers, SERVERS_IMAGE]);
}

const imagesSchema = z.array(z.object({ Names: z.array(z.string()).nullish(), Size: z.number() }));

async function tellSizes(podman: Podman): Promise<void> {
  const images = imagesSchema.parse(JSON.parse(await podman.run(['images', '--format', 'json'])));
  for (const target of TARGETS) {
    const image = images.find(({ Names }) => Names?.some((name) => name.includes(`tollgate/${target}:`)));
    const modules = await podman.run([
      ...['run', '--rm', '--no-healthcheck', '--network', 'none', '--entrypoint', 'du'],
      ...[`docker.io/tollgate/${target}:${readVersion()}`, '-sm', 'node_modules'],
    ]);
    say(
      `${target}: ${((image?.Size ?? 0) / 1e6).toFixed(0)} MB, of it node_modules ${modules.split('\t')[0]} MB`,
    );
  }
}

/** What gateways that are still there have warned of: an answer says less than their logs. */
async function tellWarnings(podman: Podman): Promise<void> {
  for (const name of ['gateway-1', 'gateway-2']) {
    const log = await podman.run(['logs', name]).catch(() => '');
    for (const line of log.split('\n')) if (/"level":[456]0/.test(line)) say(`${name}: ${line}`);
  }
}

async function clear(podman: Podman): Promise<void> {
  await podman.run(['rm', '--all', '--force', '--time', '0', '--volumes']);
  await podman.run(['volume', 'prune', '--force']);
  await podman.run(['network', 'prune', '--force']);
}

async function main(): Promise<number> {
  const lacks = findLacks(say);
  if (lacks.length > 0) {
    for (const lack of lacks) say(lack);
    say(
      'Images cannot be built or run here; npm test starts the services from the files that they would hold.',
    );
    return CANNOT;
  }
  mkdirSync(values.directory, { recursive: true });
  const podman = openPodman(values.directory);
  const version = readVersion();
  await clear(podman);
  try {
    if (!values['no-build']) await build(podman, version);
    await tellSizes(podman);
    const stack = await startComposedStack(podman, version, say);
    await checkStack(podman, stack, say);
    for (const [name, seconds] of stack.startS) say(`${name}: started in ${seconds.toFixed(1)} s`);
  } catch (error) {
    await tellWarnings(podman);
    throw error;
  } finally {
    await clear(podman);
    say('all is stopped');
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
