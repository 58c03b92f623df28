import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELAY_ROUTES, type RelayRoute } from '@tollgate/api/relay';
import { ANSWER_HEADERS, REQUEST_HEADERS } from '@tollgate/api/relay-headers';
import { CODECS, decodeRequest, ERROR_KINDS, findTaskClient } from '@tollgate/protocols';
import { OPERATION_NAMES } from '@tollgate/vocabulary';
import Fastify from 'fastify';
import { responseRoutes } from '../background/response-routes.ts';
import { modelRoutes } from '../models/model-routes.ts';
import { ENDPOINTS } from '../relay/endpoints.ts';
import { relayRoutes } from '../relay/relay-routes.ts';
import { websocketRoutes } from '../websocket/websocket-routes.ts';
import { serveRelayDocument } from './relay-document.ts';
import { statusRoutes } from './status.ts';

interface Operation {
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly headers?: object }>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, { readonly description: string; readonly headers: object }>>;
  };
}

/** Routes only note what they need. */
const nothing = {} as never;
const served: string[] = [];
const door = Fastify();
door.addHook('onRoute', ({ method, url }) => {
  if (method !== 'HEAD') served.push(`${String(method)} ${url}`);
});
relayRoutes(door, nothing);
websocketRoutes(door, { limits: { bodyLimitBytes: 1 } } as never, { limits: { memoryBytes: 1 } } as never);
responseRoutes(door, nothing);
modelRoutes(door, nothing);
statusRoutes(door, nothing, nothing, () => undefined);
serveRelayDocument(door);

let document: Document;
beforeAll(async () => {
  await door.ready();
  document = (await door.inject('/openapi.json')).json();
});
afterAll(() => door.close());

const routes = Object.entries(RELAY_ROUTES);

test('every route of the gateway is in the document, and every route of the document is one', () => {
  // The router knows only that something follows.
  const pattern = (path: string) => path.replace(/\{model\}.*$/, '*').replaceAll(/\{(\w+)\}/g, ':$1');
  const described = routes.map(([, { method, path }]) => `${method} ${pattern(path)}`);
  expect([...new Set(described)].toSorted()).toEqual(
    served.filter((route) => route !== 'GET /openapi.json').toSorted(),
  );
  for (const [, { method, path }] of routes)
    expect(document.paths[path]).toHaveProperty(method.toLowerCase());
  expect(Object.keys(document.paths).toSorted()).toEqual(
    [...new Set([...routes.map(([, { path }]) => path), '/api/pricing', '/api/pricing/history'])].toSorted(),
  );
});

test('a path that names an action is described with every action, below both prefixes', () => {
  for (const path of Object.keys(ENDPOINTS).filter((each) => each.endsWith('*'))) {
    const actions = routes
      .filter(
        ([, route]) => !route.task && route.method === 'POST' && route.path.startsWith(path.slice(0, -1)),
      )
      .map(([, route]) => CODECS.gemini.parsePath?.(route.path.replace('{model}', 'm'))?.action);
    expect(actions.toSorted()).toEqual(['count', 'generate', 'stream']);
  }
});

test('every route of a task is described as one, in the format that the gateway takes there', () => {
  for (const [, { method, path, task }] of routes.filter((entry) => entry[1].method === 'POST'))
    expect([method, path, task]).toEqual([
      'POST',
      path,
      ENDPOINTS[path]?.task ?? CODECS.gemini.parsePath?.(path.replace('{model}', 'm'))?.task,
    ]);
});

test('a key is asked for everywhere but where none is needed', () => {
  const open = Object.entries(document.paths)
    .filter(([, operations]) => Object.values(operations).every(({ security }) => security.length === 0))
    .map(([path]) => path);
  expect(open.toSorted()).toEqual(['/api/hello', '/api/pricing', '/api/pricing/history', '/api/status']);
});

test('a route that answers may refuse with the status of every kind of error, and with no other', () => {
  // 426 is told to who asks for a WebSocket.
  const statuses = Object.values(ERROR_KINDS).flatMap(({ status }) => (status === 426 ? [] : [status]));
  const responses = document.paths['/v1/chat/completions']?.['post']?.responses;
  // An upstream may say that it does not take what it was sent.
  expect(Object.keys(responses ?? {})).toEqual([...new Set([200, 415, ...statuses])].toSorted().map(String));
});

test('what opens a WebSocket says that it does, and may refuse with 426', () => {
  const responses = document.paths['/v1/responses']?.['get']?.responses ?? {};
  expect(Object.keys(responses)).toEqual(['101', '400', '401', '426', '429', '502', '503', '504']);
});

test('every header of ours in the sources is in the document', () => {
  const sources = globSync('**/*.ts', { cwd: join(import.meta.dirname, '..') })
    .filter((path) => !path.endsWith('.spec.ts'))
    .map((path) => readFileSync(join(import.meta.dirname, '..', path), 'utf8'))
    .join('\n');
  const named = sources.match(/(?<=')(?:x-tollgate|idempotency)-[a-z]+(?=')/g) ?? [];
  const described = [...Object.keys(ANSWER_HEADERS), ...Object.keys(REQUEST_HEADERS.generate.shape)]
    .map((name) => name.toLowerCase())
    .filter((name) => /^(?:x-tollgate|idempotency)-/.test(name));
  expect([...new Set(named)].toSorted()).toEqual(described.toSorted());
});

const formatRoutes = routes.filter(
  (entry): entry is [string, RelayRoute & Required<Pick<RelayRoute, 'protocol' | 'body'>>] =>
    entry[1].protocol !== undefined && entry[1].body !== undefined,
);

describe.each(formatRoutes)('%s', (_name, { path, tag, kind, protocol, task, body }) => {
  const codec = CODECS[protocol];
  const target = codec.parsePath?.(path.replace('{model}', 'm')) ?? {
    model: undefined,
    action: kind === 'count' ? ('count' as const) : ('generate' as const),
  };
  const [example] = (body.meta()?.examples ?? []) as Readonly<Record<string, unknown>>[];
  const isTaken = (json: object) =>
    decodeRequest(protocol, Buffer.from(JSON.stringify(asForm(json))), {
      pathModel: target.model,
      action: target.action,
      task,
    }).ok;
  /** What stands for the file of a form. */
  const asForm = (json: { file?: unknown }) =>
    typeof json.file === 'string' ? { ...json, file: { filename: json.file, bytes: 1 } } : json;

  test('is called as the format is', () => {
    expect(tag).toBe(task ? OPERATION_NAMES[task.task] : codec.title);
  });

  test('shows a body that is taken, and asks for the fields that the format asks for', () => {
    expect(isTaken(example ?? {})).toBe(true);
    for (const field of Object.keys(example ?? {})) {
      const { [field]: _gone, ...rest } = example ?? {};
      expect([field, body.safeParse(rest).success]).toEqual([field, isTaken(rest)]);
    }
  });

  test('names every field that says how much may come back', () => {
    // What answers to sound or with it has no such field.
    const client = task && findTaskClient(task);
    if (kind === 'count' || (client && (!client.output || client.sounds))) return;
    for (const { path: field, role } of codec.outputFields.filter((each) => each.role !== 'text')) {
      const wrong = field.reduceRight<unknown>((value, name) => ({ [name]: value }), 'many');
      const asked = { ...example, ...(wrong as object) };
      const parsed = body.safeParse(asked);
      // Pictures are not bounded by tokens.
      expect([field, role, parsed.success]).toEqual([field, role, task !== undefined && isTaken(asked)]);
    }
  });

  test('tells of limits in the headers of the format', () => {
    const written: Record<string, string> = {};
    for (const unit of ['requests', 'tokens'] as const)
      codec.writeRateLimit(written, unit, { limit: 2, remaining: 1, resetMs: 1 }, 0);
    const responses = document.paths[path]?.['post']?.responses;
    const refusal = responses?.['429']?.$ref?.split('/').at(-1) ?? '';
    for (const headers of [responses?.['200']?.headers, document.components.responses[refusal]?.headers])
      expect(
        Object.keys(headers ?? {})
          .filter((name) => name.includes('ratelimit'))
          .toSorted(),
      ).toEqual(Object.keys(written).toSorted());
  });
});
