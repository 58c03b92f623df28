import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseDockerfile } from '../dockerfile.ts';
import type { BuildRoot } from './build-root.ts';
import { runCommand } from './command.ts';
import { makeDebian } from './debian.ts';

const PULL_MS = 60_000;
/** Of the npm that Node's own images have. */
const NPM = 'npm@11';
/** What Node is linked with that no Debian has by itself; Node's own images have it too. */
const LIBRARIES = ['libatomic1'];

/**
 * Sees that the image which the Dockerfile starts from is there: from its registry, or, where none is reached, made of
 * Debian's packages, this checkout's Node and npm under the same name.
 *
 * @returns where it came from.
 */
export async function prepareBaseImage(
  { buildah }: BuildRoot,
  directory: string,
  checkout: string,
): Promise<string> {
  const { stages } = parseDockerfile(readFileSync(join(checkout, 'docker/Dockerfile'), 'utf8'));
  const name = stages[0]?.base ?? '';
  const images = await buildah(['images', '--format', '{{.Name}}:{{.Tag}}']);
  if (images.split('\n').includes(name)) return `${name} is there from before`;
  const isPulled = await buildah(['pull', name], PULL_MS).then(
    () => true,
    () => false,
  );
  if (isPulled) return `${name} from its registry`;
  await assemble(directory, checkout);
  const container = (await buildah(['from', 'scratch'])).trim();
  await buildah(['add', '--quiet', container, join(directory, 'work', 'node-base.tar'), '/']);
  await buildah([
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    container,
  ]);
  await buildah(['commit', '--quiet', '--rm', container, name]);
  return `${name} made of Debian trixie, as no registry is reached`;
}

/** Debian with Node and npm where Node's own images have them. */
async function assemble(directory: string, checkout: string): Promise<void> {
  const base = await makeDebian(directory, 'trixie', 'trixie', LIBRARIES);
  const root = join(directory, 'node-base');
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  await runCommand('tar', ['-xf', base, '-C', root, '--exclude=./dev/*']);
  cpSync(join(checkout, 'node_modules/node/bin/node'), join(root, 'usr/local/bin/node'));
  await runCommand('npm', [
    'install',
    '--global',
    '--no-audit',
    '--no-fund',
    '--prefix',
    join(root, 'usr/local'),
    NPM,
  ]);
  // Better here, with what it says, than in the middle of a build.
  await runCommand('chroot', [root, '/usr/local/bin/node', '--version']);
  if (!existsSync(join(root, 'usr/bin/env'))) symlinkSync('/bin/env', join(root, 'usr/bin/env'));
  await runCommand('tar', ['-cf', join(directory, 'work', 'node-base.tar'), '-C', root, '.']);
  rmSync(root, { recursive: true, force: true });
}
