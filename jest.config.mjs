import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = import.meta.dirname;

/** Projects whose tests need no server: they run without the shared PostgreSQL. */
const pure = new Set([
  'apps/console',
  'libs/catalogue',
  'libs/api',
  'libs/contracts',
  'libs/vocabulary',
  'libs/money',
  'libs/protocols',
  'libs/metering',
  'libs/providers',
  'tools/bench',
  'tools/cli',
  'tools/fuzz',
  'tools/run',
]);

/** The end-to-end tests share one running stack, the others one PostgreSQL. */
function serverFor(path) {
  if (pure.has(path)) return {};
  const owner = path === 'apps/e2e' ? path : 'tools/harness';
  return {
    globalSetup: join(root, owner, 'src/global-setup.ts'),
    globalTeardown: join(root, owner, 'src/global-teardown.ts'),
  };
}

const projects = ['libs', 'apps', 'tools']
  .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
  .filter((path) => existsSync(join(root, path, 'src')))
  .map((path) => ({
    displayName: path,
    rootDir: join(root, path),
    testMatch: ['<rootDir>/src/**/*.spec.ts'],
    testPathIgnorePatterns: ['/node_modules/', '/dist/'],
    modulePathIgnorePatterns: ['<rootDir>/dist/'],
    runner: join(root, 'tools/run/jest/runner.mjs'),
    setupFilesAfterEnv: [join(root, 'tools/run/jest/time-limits.mjs')],
    transform: {},
    ...serverFor(path),
  }));

export default {
  projects,
  // Two for the end-to-end tests, one for those that mostly wait, and two behind them.
  maxWorkers: 5,
  testSequencer: join(root, 'tools/run/end-to-end-first.mjs'),
};
