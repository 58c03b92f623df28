import { installWithApt } from './apt.ts';
import { findOnPath } from './on-path.ts';

const NAMES = ['haproxy'];

/**
 * The HAProxy of this machine; on Debian and Ubuntu, as root, it is installed when it is missing. Undefined where there
 * is none and none can be installed.
 */
export function findHaproxy(say: (text: string) => void = () => {}): string | undefined {
  const found = findOnPath(NAMES);
  if (found) return found;
  installWithApt('haproxy', say);
  return findOnPath(NAMES);
}
