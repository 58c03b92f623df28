import { PUBLIC, type Resource, type Route, SERVICES } from '@tollgate/api';
import { listErrors } from '@tollgate/api/openapi';
import { RELAY_ROUTES } from '@tollgate/api/relay';
import { ANSWER_HEADERS, ERROR_HEADERS, REQUEST_HEADERS } from '@tollgate/api/relay-headers';
import { ERROR_KINDS } from '@tollgate/protocols';
import type { z } from 'zod';
import { markdownTable } from './markdown-table.ts';

/** What docs/api.md says: every route, permission, header and error is read from the contract. */
export const apiDocument = (): string =>
  `${[
    '# The HTTP API',
    '`npm run docs` writes this page from the contract in `libs/api`. Do not edit it by hand.',
    [
      'Bodies, parameters and answers are in the OpenAPI 3.1 documents that a running Tollgate serves: `GET /openapi.json` for',
      'the relay, and for the console’s services the ones that their sections name. [The relay](relay-api.md) tells how a',
      'client’s requests are treated.',
    ].join('\n'),
    '## Relay',
    [
      'What clients of AI models call: `GET /openapi.json`. A key is taken from `Authorization` (with or without `Bearer`),',
      '`x-api-key`, `x-goog-api-key` or `?key=`, on every route.',
    ].join('\n'),
    ...relayTables(),
    '### Headers of a request',
    headerTable(REQUEST_HEADERS.generate.shape),
    '### Headers of an answer',
    headerTable({ ...ANSWER_HEADERS, ...ERROR_HEADERS }),
    '### Errors of the relay',
    [
      'An error has the envelope of the route’s format; `error.message` and `error.type` are there in each. What an upstream says',
      'to a request that it finds wrong (400, 409, 413, 415, 422) is passed on in its own words.',
    ].join('\n'),
    markdownTable(
      ['status', '`type`', '`code`', 'when', 'retry'],
      Object.values(ERROR_KINDS)
        .toSorted((one, other) => one.status - other.status)
        .map(({ status, type, code: name, when, retry }) => [
          String(status),
          code(type),
          name === null ? '' : code(name),
          when,
          retry ? 'yes' : 'no',
        ]),
    ),
    ...Object.values(SERVICES).flatMap(({ title, description, documentPath, resources }) => [
      `## ${title.replace('Tollgate ', '').replace(/^./, (letter) => letter.toUpperCase())}`,
      `${description} \`GET ${documentPath}\`.`,
      ...Object.entries<Resource>(resources).flatMap(([tag, routes]) => [`### ${tag}`, routeTable(routes)]),
    ]),
    '## Errors of the services',
    [
      'A refusal of billing or pricing is `{"error": {"message", "type", "param", "code"}}`: `message` says what happened and what',
      'to do, `param` names the field that is wrong, `code` is for programs. The tables name the statuses of each route; besides',
      'them any may answer 429 or 503 with `retry-after`, and 500 for a fault of Tollgate.',
    ].join('\n'),
    markdownTable(
      ['status', 'what it means'],
      [
        ['400', 'Something that was sent is wrong.'],
        ['401', 'Nobody is signed in, or what was shown to sign in is wrong.'],
        ['403', 'The role may not do this, or not in this account, or who it is must be proved again first.'],
        ['404', 'The path names nothing that there is.'],
        ['409', 'It cannot be done as things are now, such as a change of what has changed since.'],
        ['422', 'It is understood, and cannot be meant.'],
      ],
    ),
  ].join('\n\n')}\n`;

const code = (text: string): string => `\`${text}\``;

function relayTables(): string[] {
  const tables = Map.groupBy(Object.values(RELAY_ROUTES), ({ tag }) => tag);
  return [...tables].flatMap(([tag, routes]) => [
    `### ${tag}`,
    markdownTable(
      ['method and path', 'key', 'what it does'],
      routes.map(({ method, path, kind, summary }) => [
        code(`${method} ${path}`),
        kind === 'public' ? 'no' : 'yes',
        summary,
      ]),
    ),
  ]);
}

const headerTable = (headers: Readonly<Record<string, z.core.$ZodType>>): string =>
  markdownTable(
    ['header', 'what it says'],
    Object.entries(headers).map(([name, schema]) => [
      code(name.toLowerCase()),
      (schema as z.ZodType).description ?? '',
    ]),
  );

const routeTable = (routes: Resource): string =>
  markdownTable(
    ['method and path', 'permission', 'what it does', 'refused with'],
    Object.values<Route>(routes).map((route) => [
      code(`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`),
      route.permission === PUBLIC ? 'anybody' : code(route.permission),
      route.summary,
      Object.keys(listErrors(route)).join(', '),
    ]),
  );
