import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The directory of the launcher's data: `TOLLGATE_HOME`, a relative path counted from the checkout. */
export const findHome = (env: Readonly<Record<string, string | undefined>>): string =>
  resolve(ROOT, env['TOLLGATE_HOME'] || '.tollgate');
