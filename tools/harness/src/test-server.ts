import type { RunningPostgres } from './postgres.ts';

interface TestServer {
  readonly directory: string;
  readonly postgres: RunningPostgres;
}

const KEY = Symbol.for('tollgate.test-server');
const shared = globalThis as { [KEY]?: TestServer };

/** Hands the server from Jest's global set-up to its tear-down, which are loaded as separate modules. */
export const running = {
  set: (server: TestServer) => void (shared[KEY] = server),
  get: (): TestServer | undefined => shared[KEY],
};
