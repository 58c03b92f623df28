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
/** Copied from a stage that installed without what is for development. */
const MODULES = 'node_modules';

/**
 * Lays out the files that the image of a target would hold, by the COPY lines of `docker/Dockerfile`: builds from this
 * checkout, and packages. Files are hard links where that is possible, so nothing in the tree may be changed.
 *
 * @param directory made if it is not there; must be empty.
 * @param modules what `layOutModules` made; images share it as they share a layer.
 * @throws where a COPY line names what the checkout does not have, such as a build that was not made.
 */
export function layOutImage(target: string, directory: string, modules: string): ImageTree {
  const dockerfile = parseDockerfile(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8'));
  const chain = listInstructions(dockerfile, target);
  const workdir = chain.findLast(({ keyword }) => keyword === 'WORKDIR')?.text ?? '/';
  for (const { keyword, text } of chain) {
    if (keyword !== 'COPY') continue;
    const [source = '', destination = ''] = text.split(' ');
    if (!source.startsWith(CHECKOUT)) throw new Error(`nothing is known of ${source}`);
    const path = source.slice(CHECKOUT.length);
    const to = join(directory, posix.resolve(workdir, destination));
    if (path === MODULES) linkModules(modules, to);
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

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly link?: boolean; readonly resolved?: string }>
  >;
}

/** What a running service never loads; without it there is half as much to do. */
const NOT_LOADED = /\.(?:[mc]?ts|map|md)$/;

/**
 * Lays out what `npm ci --omit=dev` leaves in `node_modules`: the packages that are here, as far as the lockfile does not
 * call them development's. It lies beside no package that it does not hold, so one that is missing is missed.
 */
export function layOutModules(directory: string): string {
  const modules = join(directory, MODULES);
  for (const path of productionPackages()) {
    if (existsSync(join(ROOT, path))) linkTree(join(ROOT, path), join(directory, path), NOT_LOADED);
  }
  return modules;
}

const lockedPackages = () =>
  Object.entries((JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile).packages);

const productionPackages = (): readonly string[] =>
  lockedPackages()
    .filter(([path, { dev, link }]) => path.startsWith(`${MODULES}/`) && !dev && !link)
    .map(([path]) => path);

/** `node_modules` of an image: the shared packages, and the workspaces, which may lead to nothing. */
function linkModules(modules: string, to: string): void {
  const link = (path: string, target: string) => {
    const place = join(to, path.slice(MODULES.length));
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place);
  };
  for (const path of productionPackages()) {
    if (!path.includes(`/${MODULES}/`)) link(path, join(modules, path.slice(MODULES.length)));
  }
  for (const [path, { link: isLink, resolved = '' }] of lockedPackages()) {
    if (isLink) link(path, posix.relative(posix.dirname(path), resolved));
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
