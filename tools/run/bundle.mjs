// Puts an app's programs with all that they import into few files (`bundle/` beside `dist/`): a service that looks for two
// thousand files starts three times as slowly. Run in the app's directory, after its build.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { lightHttp, noCallers } from './bundling/light-modules.mjs';
import { openPackageList } from './bundling/packages.mjs';
import { ownMaps, thinMaps } from './bundling/source-maps.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const BUNDLE = 'bundle';

/** What is started by itself: services, their threads, and what a deployment runs beside them. */
const PROGRAMS = {
  main: 'main',
  'export-thread': 'exports/export-thread',
  migrate: 'migrate',
  seed: 'seed',
  'reset-factors': 'reset-factors',
};
/** What migrates looks for them beside itself. They import nothing. */
const MIGRATIONS = 'dist/database/migrations';

/**
 * Stay in node_modules: what is no JavaScript, what is loaded only where it is used, what nobody has installed, and what
 * TypeORM looks for while it runs, so that it and we have the same. Of what the app does not name, nothing is in its bundle either.
 */
const EXTERNAL = [
  /^pg(?:-|$)/,
  /^@node-rs\//,
  /^@(?:aws-sdk|smithy)\//,
  /^(?:class-(?:transformer|validator)|@nestjs\/websockets|@grpc\/|kafkajs|mqtt|nats|amqp)/,
  /^(?:@google-cloud|@sap|better-sqlite3|hdb-pool|mongodb|mssql|mysql2?|oracledb|react-native|expo|sql\.js|sqlite3)/,
];

const input = Object.fromEntries(
  Object.entries(PROGRAMS)
    .map(([name, file]) => [name, `dist/${file}.js`])
    .filter(([, file]) => existsSync(file)),
);

const packages = openPackageList(ROOT, EXTERNAL);
await build({
  configFile: false,
  logLevel: 'error',
  // Nothing but what Node would load: a package in two forms would be two packages.
  resolve: { mainFields: ['main'] },
  ssr: { noExternal: true, resolve: { conditions: ['node'] } },
  plugins: [lightHttp, noCallers, ownMaps, packages.plugin],
  build: {
    ssr: true,
    target: 'node26',
    outDir: BUNDLE,
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input,
      external: packages.isExternal,
      // Entities and injected classes are told apart by their names; files are found by where the importing one is.
      output: {
        keepNames: true,
        sourcemapExcludeSources: true,
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // An eighth of a file is comments, and one letter beyond Latin-1 makes it twice as large in memory.
        comments: false,
        charset: 'ascii',
      },
    },
  },
});
thinMaps(BUNDLE);
if (existsSync(MIGRATIONS)) cpSync(MIGRATIONS, join(BUNDLE, 'migrations'), { recursive: true });
