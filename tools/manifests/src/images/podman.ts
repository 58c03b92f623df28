import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';

export interface Podman {
  /** Runs `podman <args>` and answers what it wrote. */
  readonly run: (args: readonly string[], timeout?: number) => Promise<string>;
}

/** runc, as crun refuses where control groups of both versions are mounted; the network with its own name server. */
const configurationOf = (runtime: string): string => `
[network]
network_backend = "netavark"
[containers]
log_driver = "k8s-file"
[engine]
runtime = "${runtime}"
cgroup_manager = "cgroupfs"
events_logger = "file"
helper_binaries_dir = ["/usr/lib/podman", "/usr/libexec/podman", "/usr/bin"]
`;

/** A podman whose images, containers and networks are all below one directory: it meets none of this machine's. */
export function openPodman(directory: string): Podman {
  const place = (name: string) => {
    const path = join(directory, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const configuration = join(place('podman-configuration'), 'containers.conf');
  const runtime = join(directory, 'podman-configuration', 'runc');
  const wrapper = join(import.meta.dirname, 'runc-without-rlimits.mjs');
  writeFileSync(runtime, `#!/bin/sh\nexec "${process.execPath}" "${wrapper}" "$@"\n`, { mode: 0o755 });
  writeFileSync(configuration, configurationOf(runtime));
  const options = [
    ...['--root', place('podman'), '--runroot', place('podman-run'), '--tmpdir', place('podman-tmp')],
    ...['--network-config-dir', place('podman-networks'), '--volumepath', place('podman-volumes')],
  ];
  const env = { ...process.env, CONTAINERS_CONF: configuration, TMPDIR: place('work') };
  return { run: (args, timeout = 0) => runCommand('podman', [...options, ...args], { env, timeout }) };
}
