import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenApiDocument } from '@tollgate/api/openapi';
import { PUBLIC, type Resource } from '@tollgate/api/route';
import type { FastifyRequest } from 'fastify';

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

/** Serves the OpenAPI document of a service's routes, which is made from the contract when it is first asked for. */
export function serveOpenApi(
  app: NestFastifyApplication,
  { documentPath, title, description, resources, isSignedIn }: OpenApi,
): void {
  let whole: OpenApiDocument | undefined;
  let open: OpenApiDocument | undefined;
  app
    .getHttpAdapter()
    .getInstance()
    .get(documentPath, async (request: FastifyRequest) => {
      const knowsCaller = await isSignedIn(request);
      // What makes documents takes time to load.
      const { describeApi } = await import('@tollgate/api/openapi');
      return knowsCaller
        ? (whole ??= describeApi({ title, description }, resources))
        : (open ??= describeApi({ title, description }, openRoutes(resources)));
    });
}

/** Of the routes those that are for anybody. */
const openRoutes = (resources: OpenApi['resources']): OpenApi['resources'] =>
  Object.fromEntries(
    Object.entries(resources).map(([tag, routes]) => [
      tag,
      Object.fromEntries(Object.entries(routes).filter(([, { permission }]) => permission === PUBLIC)),
    ]),
  );
