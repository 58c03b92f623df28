import { chmodSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, posix } from 'node:path';
import { listInstructions, toImageConfig, type ImageConfig, parseDockerfile } from './dockerfile.ts';
import { makeDependencies } from './image-dependencies.ts';
import { linkTree } from './link-tree.ts';
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
  const dependencies = `${directory}${DEPENDENCIES}`;
  makeDependencies(`@tollgate/${target}`, dependencies);
  for (const { keyword, text, flags } of chain) {
    if (keyword !== 'COPY') continue;
    const [source = '', destination = ''] = text.split(' ');
    if (!source.startsWith(CHECKOUT)) throw new Error(`nothing is known of ${source}`);
    const path = source.slice(CHECKOUT.length);
    const to = join(directory, posix.resolve(workdir, destination));
    if (flags['from']?.endsWith(DEPENDENCIES)) renameSync(join(dependencies, path), to);
    else linkTree(join(ROOT, path), to);
  }
  rmSync(dependencies, { recursive: true });
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
