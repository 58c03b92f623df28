import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { errorAnswer } from './common.ts';
import { type FileAnswer, isFileAnswer, PUBLIC, type Resource, type Route, findStatus } from './route.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** The cookie that a session is known by over plain HTTP; over TLS its name begins with `__Host-`. */
const COOKIE = 'tollgate_session';

/** The OpenAPI 3.1 document of resources; each key is a tag. */
export function describeApi(
  { title, description }: { readonly title: string; readonly description: string },
  resources: Readonly<Record<string, Resource>>,
): OpenApiDocument {
  return createDocument({
    openapi: '3.1.0',
    info: { title, description, version: '1' },
    paths: describePaths(resources),
    components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: COOKIE } } },
  });
}

export function describePaths(resources: Readonly<Record<string, Resource>>): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [tag, routes] of Object.entries(resources)) {
    for (const [operationId, route] of Object.entries(routes)) {
      const operations = (paths[route.path.replace(/:(\w+)/g, '{$1}')] ??= {});
      operations[route.method.toLowerCase()] = describeRoute(tag, operationId, route);
    }
  }
  return paths;
}

function describeRoute(tag: string, operationId: string, route: Route): ZodOpenApiOperationObject {
  const { params, query, headers, body, bodyType = 'application/json', permission } = route;
  return {
    operationId,
    tags: [tag],
    summary: route.summary,
    description: [
      route.description,
      permission === PUBLIC ? 'For anybody.' : `Needs the permission \`${permission}\`.`,
      describeReauthentication(route),
    ]
      .filter(Boolean)
      .join('\n\n'),
    security: permission === PUBLIC ? [] : [{ session: [] }],
    'x-permission': permission,
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(headers && { header: withWrittenNames(headers) }),
    },
    ...(body && { requestBody: { required: true, content: { [bodyType]: { schema: body } } } }),
    responses: describeAnswers(route),
  } as ZodOpenApiOperationObject;
}

function describeReauthentication({ reauthenticate }: Route): string | undefined {
  if (!reauthenticate) return undefined;
  const which = reauthenticate === true ? 'It is' : 'Some of its bodies are';
  return `${which} refused with 403 and \`reauthentication_required\` to whoever proved too long ago who they are.`;
}

/** Headers as people write them, such as `Idempotency-Key`; servers see their names in lower case. */
const withWrittenNames = ({ shape }: z.ZodObject): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(shape).map(([name, schema]) => [
        name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
        schema,
      ]),
    ),
  );

function describeAnswers(route: Route): ZodOpenApiResponsesObject {
  const { answer, otherSuccess = {} } = route;
  const success =
    answer === undefined
      ? { description: findStatus(route) === 302 ? 'Sends the browser on.' : 'Done.' }
      : isFileAnswer(answer)
        ? { description: 'Done.', content: describeFile(answer) }
        : { description: 'Done.', content: { 'application/json': { schema: answer } } };
  const refusals = Object.entries(listErrors(route)).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: errorAnswer } } },
  ]);
  return {
    [findStatus(route)]: success,
    ...Object.fromEntries(
      Object.entries(otherSuccess).map(([status, description]) => [status, { ...success, description }]),
    ),
    ...Object.fromEntries(refusals),
  } as ZodOpenApiResponsesObject;
}

const describeFile = ({ contentType, schema }: FileAnswer) =>
  Object.fromEntries(
    [contentType]
      .flat()
      .map((type) => [type, schema && /^application\/(json|x-ndjson)\b/.test(type) ? { schema } : {}]),
  );

/** Every refusal of a route that is its caller's to correct, in one sentence each. */
export function listErrors(route: Route): Readonly<Record<number, string>> {
  const { method, params, permission } = route;
  const errors: Record<number, string> = { 400: 'Something that was sent is wrong: `param` names it.' };
  if (method !== 'GET') errors[403] = 'A page of another site sent it.';
  if (permission !== PUBLIC) {
    errors[401] = 'Nobody is signed in: POST /api/auth/login.';
    errors[403] = 'The role may not do this, or it is about another account.';
  }
  if (params) errors[404] = 'The path names nothing that there is.';
  return { ...errors, ...route.errors };
}
