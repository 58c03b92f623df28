import { isIP } from 'node:net';
import { join } from 'node:path';
import type { readCompose } from '../compose.ts';
import { ROOT } from '../manifest.ts';

type Compose = ReturnType<typeof readCompose>;
type Service = Compose['services'][string];

/** Values of the variables of `docker/compose.yaml`, as `docker/.env` has them. */
export type Values = Readonly<Record<string, string>>;

/** `${NAME:?message}` and `${NAME:-default}`, as Compose does it. */
export const fillIn = (text: string, values: Values): string =>
  text
    .replace(
      /\$\{(\w+):([-?])([^}]*)\}/g,
      (_all, name: string, kind: string, rest: string) => values[name] ?? (kind === '-' ? rest : ''),
    )
    .replaceAll('$$', '$');

const each = (option: string, values: readonly string[] = []): readonly string[] =>
  values.flatMap((value) => [option, value]);

const networksOf = ({ networks }: Service): readonly string[] =>
  Array.isArray(networks)
    ? networks
    : Object.entries(networks).map(([name, { ipv4_address: ip }]) => (isIP(ip) ? `${name}:ip=${ip}` : name));

/** `podman run` knows a volume by its name, and a file of this checkout by its whole path. */
const volumeOf = (text: string): string => (text.startsWith('.') ? join(ROOT, 'docker', text) : text);

function healthOf({ healthcheck }: Service, values: Values): readonly string[] {
  if (healthcheck === undefined) return [];
  if ('disable' in healthcheck) return ['--no-healthcheck'];
  const [kind, ...test] = healthcheck.test.map((word) => fillIn(word, values));
  const command = kind === 'CMD-SHELL' ? test.join(' ') : JSON.stringify(test);
  return [
    // When it is asked is for whoever asks: podman has systemd do it, which is not everywhere.
    ...['--health-cmd', command, '--health-interval', 'disable'],
    ...['--health-timeout', healthcheck.timeout, '--health-retries', String(healthcheck.retries)],
    ...(healthcheck.start_period ? ['--health-start-period', healthcheck.start_period] : []),
  ];
}

/**
 * The `podman run` of a service of `docker/compose.yaml`, with all that it says of it but its ports: nothing of this machine
 * is taken.
 *
 * @param image in place of its own, where that is of a registry.
 */
export function toRunArguments(
  name: string,
  service: Service,
  values: Values,
  image = fillIn(service.image, values),
): readonly string[] {
  const environment = Object.entries(service.environment).map(
    ([key, value]) => `${key}=${fillIn(value, values)}`,
  );
  const [entrypoint, ...before] = service.entrypoint ?? [];
  return [
    ...['run', '--detach', '--name', name, '--network-alias', name, '--pull', 'never'],
    ...(service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...each('--tmpfs', service.tmpfs),
    ...each('--cap-drop', service.cap_drop),
    // Podman writes it without its value.
    ...each(
      '--security-opt',
      service.security_opt?.map((option) => option.replace(/:true$/, '')),
    ),
    ...each('--network', networksOf(service)),
    ...each('--volume', service.volumes.map(volumeOf)),
    ...each('--env', environment),
    ...(service.shm_size ? ['--shm-size', service.shm_size] : []),
    ...healthOf(service, values),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    image,
    ...before,
    ...(service.command ?? []).map((word) => fillIn(word, values)),
  ];
}
