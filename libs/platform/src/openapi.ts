import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

export interface OpenApi {
  /** Where the document is served, such as `/api/openapi.json`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

/** Serves the OpenAPI document of a service's HTTP routes; bodies and queries come from the schemas that check them. */
export function serveOpenApi(app: NestFastifyApplication, { path, title, description }: OpenApi): void {
  const config = new DocumentBuilder()
    .setTitle(title)
    .setDescription(description)
    .setVersion('1')
    .addCookieAuth('tollgate_session')
    .build();
  let document: object | undefined;
  app
    .getHttpAdapter()
    .getInstance()
    .get(path, () => (document ??= SwaggerModule.createDocument(app, config)));
}
