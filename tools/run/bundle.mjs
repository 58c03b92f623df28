// Puts an app's programs with all that they import into few files (`bundle/` beside `dist/`): a service that looks for two
// thousand files starts three times as slowly. Run in the app's directory, after its build.
import { cpSync, existsSync } from 'node:fs';
import http from 'node:http';
import { build } from 'vite';

/** What is started by itself: services, their threads, and what makes their first data. */
const PROGRAMS = { main: 'main', 'export-thread': 'exports/export-thread', seed: 'seed' };
/** What migrates looks for them beside itself. They import nothing. */
const MIGRATIONS = 'dist/database/migrations';

/**
 * Stay in node_modules: what is no JavaScript, what is loaded only where it is used, what nobody has installed, and what
 * TypeORM looks for while it runs, so that it and we have the same.
 */
const EXTERNAL = [
  /^pg(?:-|$)/,
  /^@node-rs\//,
  /^@(?:aws-sdk|smithy)\//,
  /^(?:class-(?:transformer|validator)|@nestjs\/websockets|@grpc\/|kafkajs|mqtt|nats|amqp)/,
  /^(?:@google-cloud|@sap|better-sqlite3|hdb-pool|mongodb|mssql|mysql2?|oracledb|react-native|expo|sql\.js|sqlite3)/,
];

/**
 * Node's `http` as a module of its own. Imported, Node's has every export evaluated, and those of WebSockets load a whole second
 * HTTP client: half of what Node itself takes of a processor until a program runs.
 */
const lightHttp = {
  name: 'light-http',
  enforce: 'pre',
  // What is required is Node's own, and has nothing evaluated.
  resolveId: (id, importer, { kind }) =>
    kind === 'import-statement' && /^(?:node:)?http$/.test(id) ? LIGHT_HTTP : undefined,
  load: (id) => (id === LIGHT_HTTP ? lightHttpText : undefined),
};
const LIGHT_HTTP = '\0light-http';
const isPlain = ([, { get }]) => get === undefined;
const httpNames = Object.entries(Object.getOwnPropertyDescriptors(http))
  .filter(isPlain)
  .map(([name]) => name);
const lightHttpText = `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${httpNames.join(', ')} } = http;
`;

const input = Object.fromEntries(
  Object.entries(PROGRAMS)
    .map(([name, file]) => [name, `dist/${file}.js`])
    .filter(([, file]) => existsSync(file)),
);

await build({
  configFile: false,
  logLevel: 'error',
  // Nothing but what Node would load: a package in two forms would be two packages.
  resolve: { mainFields: ['main'] },
  ssr: { noExternal: true, resolve: { conditions: ['node'] } },
  plugins: [lightHttp],
  build: {
    ssr: true,
    target: 'node26',
    outDir: 'bundle',
    minify: false,
    rolldownOptions: {
      input,
      external: EXTERNAL,
      // Entities and injected classes are told apart by their names; files are found by where the importing one is.
      output: {
        keepNames: true,
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // An eighth of a file is comments, and one letter beyond Latin-1 makes it twice as large in memory.
        comments: false,
        charset: 'ascii',
      },
    },
  },
});
if (existsSync(MIGRATIONS)) cpSync(MIGRATIONS, 'bundle/migrations', { recursive: true });
