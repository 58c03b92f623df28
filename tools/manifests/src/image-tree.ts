import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { listInstructions, toImageConfig, type ImageConfig, parseDockerfile } from './dockerfile.ts';
import { listInstalledFor } from './locked-packages.ts';
import { ROOT } from './manifest.ts';

export interface ImageTree extends ImageConfig {
  /** Stands for `/` of the image. */
  readonly root: string;
  readonly workdir: string;
  /** The image's Node, in the tree as well. */
  readonly node: string;
}

/** Where the build stages have the checkout. */
const CHECKOUT = '/app/';
/** The stages that install what one workspace needs. */
const DEPENDENCIES = '-dependencies';
const MODULES = 'node_modules';

/**
 * Lays out the files that the image of a target would hold, by the COPY lines of `docker/Dockerfile`: builds from this
 * checkout, and packages. Files are hard links where that is possible, so nothing in the tree may be changed.
 *
 * @param directory made if it is not there; must be empty.
 * @throws where a COPY line names what the checkout does not have, such as a build that was not made.
 */
export function layOutImage(target: string, directory: string): ImageTree {
  const dockerfile = parseDockerfile(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8'));
  const chain = listInstructions(dockerfile, target);
  const workdir = chain.findLast(({ keyword }) => keyword === 'WORKDIR')?.text ?? '/';
  for (const { keyword, text, flags } of chain) {
    if (keyword !== 'COPY') continue;
    const [source = '', destination = ''] = text.split(' ');
    if (!source.startsWith(CHECKOUT)) throw new Error(`nothing is known of ${source}`);
    const path = source.slice(CHECKOUT.length);
    const to = join(directory, posix.resolve(workdir, destination));
    const installs = flags['from']?.endsWith(DEPENDENCIES) ?? false;
    // The list of packages is written while the image is built.
    if (installs && path !== MODULES) continue;
    if (installs) linkPackages(`@tollgate/${target}`, join(directory, workdir));
    else linkTree(join(ROOT, path), to);
  }
  const node = join(directory, 'usr/local/bin/node');
  linkTree(process.execPath, node);
  return { ...toImageConfig(dockerfile, target), root: directory, workdir: join(directory, workdir), node };
}

/** Sets the mode of every directory: with 0o555 nobody but root can make or remove a file, as in a read-only image. */
export function chmodDirectories(directory: string, mode: number): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) chmodDirectories(join(directory, entry.name), mode);
  }
  chmodSync(directory, mode);
}

/** What a running service never loads: `docker/trim-packages.mjs` takes it away. */
const NOT_LOADED = /\.(?:[cm]?ts|map)$/;

/** Lays out what npm installs for a workspace, as far as it is here: packages of other platforms are not. */
function linkPackages(workspace: string, workdir: string): void {
  for (const { path, link } of listInstalledFor(workspace)) {
    const to = join(workdir, path);
    if (link !== undefined) {
      mkdirSync(dirname(to), { recursive: true });
      symlinkSync(posix.relative(posix.dirname(path), link), to);
    } else if (existsSync(join(ROOT, path))) linkTree(join(ROOT, path), to, NOT_LOADED);
  }
}

/** Without the `node_modules` of a package: what is in there has a line of its own in the lockfile. */
function linkTree(from: string, to: string, without?: RegExp): void {
  const found = lstatSync(from);
  if (found.isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      if (name !== MODULES && !without?.test(name)) linkTree(join(from, name), join(to, name), without);
    }
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else linkFile(from, to);
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another file system, or one without hard links.
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(code ?? '')) throw error;
    copyFileSync(from, to);
  }
}
