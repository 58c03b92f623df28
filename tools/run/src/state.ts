import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newStackSecrets, type StackSecrets } from '@tollgate/harness';

/** What one start leaves for the next, so that data, key and addresses stay. */
export interface State {
  readonly secrets: StackSecrets;
  readonly admin: { readonly email: string; readonly password: string };
  readonly api_key: string | null;
  readonly ports: Readonly<Record<string, number>>;
}

const file = (home: string) => join(home, 'state.json');

/** The state in a home directory; a new one with new secrets where there is none. */
export function loadState(home: string): State {
  if (existsSync(file(home))) {
    const kept = JSON.parse(readFileSync(file(home), 'utf8')) as State;
    // A secret that came with a later release is made at its first start.
    return { ...kept, secrets: { ...newStackSecrets(), ...kept.secrets } };
  }
  return {
    secrets: newStackSecrets(),
    admin: { email: 'admin@tollgate.example', password: randomBytes(12).toString('base64url') },
    api_key: null,
    ports: {},
  };
}

export const saveState = (home: string, state: State): void => writePrivate(file(home), state);

/** Writes a JSON file that only its owner may read; a reader sees the old file or the new one, never half. */
export function writePrivate(path: string, value: object): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
