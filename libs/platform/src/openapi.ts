import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Resource } from '@tollgate/api/route';
import { describeApi } from '@tollgate/api/openapi';
import type { FastifyRequest } from 'fastify';
import { listRoutes } from './access.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

export interface OpenApi {
  /** Where the document is served, such as `/api/openapi.json`. */
  readonly documentPath: string;
  readonly title: string;
  readonly description: string;
  /** What the service serves, by tag. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** Whoever is not is told of the routes that are for anybody only. */
  readonly isSignedIn: (request: FastifyRequest) => Promise<boolean>;
}

/** Serves the OpenAPI document of a service's HTTP routes; bodies and queries come from the schemas that check them. */
export function serveOpenApi(
  app: NestFastifyApplication,
  { documentPath, title, description, resources, isSignedIn }: OpenApi,
): void {
  const config = new DocumentBuilder()
    .setTitle(title)
    .setDescription(description)
    .setVersion('1')
    .addCookieAuth(SESSION_COOKIE)
    .build();
  let documents: { readonly whole: OpenAPIObject; readonly open: OpenAPIObject } | undefined;
  const describe = () => {
    const nest = SwaggerModule.createDocument(app, config);
    const contract = describeApi({ title, description }, resources) as unknown as OpenAPIObject;
    const whole: OpenAPIObject = {
      ...nest,
      paths: { ...nest.paths, ...contract.paths },
      components: {
        ...nest.components,
        schemas: { ...nest.components?.schemas, ...contract.components?.schemas },
      },
    };
    return { whole, open: { ...whole, paths: openPaths(app, whole.paths) } };
  };
  app
    .getHttpAdapter()
    .getInstance()
    .get(documentPath, async (request: FastifyRequest) => {
      const { whole, open } = (documents ??= describe());
      return (await isSignedIn(request)) ? whole : open;
    });
}

/** Of the paths of a document the operations that are for anybody. */
function openPaths(app: NestFastifyApplication, paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  const open = new Set(
    listRoutes(app)
      .filter(({ access }) => access === 'anybody')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
  );
  return Object.fromEntries(
    Object.entries(paths)
      .map(
        ([path, operations]) =>
          [
            path,
            Object.fromEntries(
              Object.entries(operations).filter(([method]) => open.has(`${method.toUpperCase()} ${path}`)),
            ),
          ] as const,
      )
      .filter(([, operations]) => Object.keys(operations).length > 0),
  );
}
