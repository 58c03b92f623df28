import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildRoot } from './build-root.ts';
import type { Podman } from './podman.ts';

/** Of every process in a build: npm opens many files. */
const LIMITS = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=65000:65000'];

/** Who reads TLS on its way, such as a company's proxy, has a certificate that this machine knows: npm is told of it. */
function trustOwnCertificates(work: string): readonly string[] {
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  if (!certificates) return [];
  const folder = join(work, 'npm');
  mkdirSync(folder, { recursive: true });
  copyFileSync(certificates, join(folder, 'certificates.pem'));
  writeFileSync(join(folder, 'npmrc'), 'cafile=/run/tollgate-certificates.pem\n');
  return [
    '--volume',
    `${join(folder, 'certificates.pem')}:/run/tollgate-certificates.pem:ro`,
    '--volume',
    `${join(folder, 'npmrc')}:/root/.npmrc:ro`,
  ];
}

/**
 * Builds a target of `docker/Dockerfile` and gives it to podman as `tollgate/<target>:<version>`.
 */
export async function buildImage(
  { buildah }: BuildRoot,
  podman: Podman,
  target: string,
  version: string,
  work: string,
): Promise<void> {
  const name = `docker.io/tollgate/${target}:${version}`;
  await buildah([
    'build',
    '--isolation',
    'chroot',
    '--network',
    'host',
    '--layers',
    '--format',
    'docker',
    ...LIMITS,
    ...trustOwnCertificates(work),
    '--file',
    'docker/Dockerfile',
    '--target',
    target,
    '--tag',
    name,
    '.',
  ]);
  const archive = join(work, `${target}.tar`);
  rmSync(archive, { force: true });
  await buildah(['push', '--quiet', name, `docker-archive:${archive}:${name}`]);
  await podman.run(['load', '--quiet', '--input', archive]);
  rmSync(archive);
}
