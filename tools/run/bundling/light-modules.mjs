// Modules in whose place a bundle has another one, as loading them costs every start.
import http from 'node:http';

const LIGHT_HTTP = '\0light-http';
const isPlain = ([, { get }]) => get === undefined;
const httpNames = Object.entries(Object.getOwnPropertyDescriptors(http))
  .filter(isPlain)
  .map(([name]) => name);
const lightHttpText = `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${httpNames.join(', ')} } = http;
`;

/**
 * Node's `http` as a module of its own. Imported, Node's has every export evaluated, and those of WebSockets load a whole second
 * HTTP client: half of what Node itself takes of a processor until a program runs.
 */
export const lightHttp = {
  name: 'light-http',
  enforce: 'pre',
  // What is required is Node's own, and has nothing evaluated.
  resolveId: (id, importer, { kind }) =>
    kind === 'import-statement' && /^(?:node:)?http$/.test(id) ? LIGHT_HTTP : undefined,
  load: (id) => (id === LIGHT_HTTP ? lightHttpText : undefined),
};

/**
 * pino asks who called it, for transports in threads, of which we have none. Where maps of sources are on, that has Node read those
 * of the callers: 15 MB and 60 ms at each start.
 */
export const noCallers = {
  name: 'no-callers',
  load: (id) => (id.endsWith('/node_modules/pino/lib/caller.js') ? 'module.exports = () => [];' : undefined),
};
