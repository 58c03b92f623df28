import packages from '../debian-packages.json' with { type: 'json' };
import { installWithApt } from './apt.ts';
import { findOnPath } from './on-path.ts';

/** Of this machine; on Debian and Ubuntu, as root, it is installed when it is missing. Undefined where there is none and none can be. */
function findOrInstall(name: 'haproxy' | 'prometheus', say: (text: string) => void): string | undefined {
  const found = findOnPath([name]);
  if (found) return found;
  installWithApt(packages[name], say);
  return findOnPath([name]);
}

export const findHaproxy = (say: (text: string) => void = () => {}): string | undefined =>
  findOrInstall('haproxy', say);

/** With it comes promtool, which is called by its name. */
export const findPrometheus = (): string | undefined => findOrInstall('prometheus', () => {});
