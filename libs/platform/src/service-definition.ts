import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { Registry } from 'prom-client';
import type { RefusalAudit } from './access-refusals.ts';
import type { ServiceConfig } from './config.ts';
import type { Health } from './health.ts';
import type { Logger } from './logging.ts';
import type { OpenApi } from './openapi.ts';
import type { Stoppable } from './run-service.ts';
import type { ServiceSecrets } from './service-secrets.ts';

/** Takes a request before any route sees it; false where it is for the routes. */
export type TakesRequest = (incoming: IncomingMessage, response: ServerResponse) => boolean;

export interface ServiceDefinition {
  readonly name: string;
  readonly config: ServiceConfig;
  readonly logger: Logger;
  readonly health: Health;
  readonly module: Type | DynamicModule;
  /** Other processes listen on the same port and share its connections. */
  readonly sharesPort?: boolean;
  /** The TCP microservice listener, for services that answer others that share a secret with them. */
  readonly listener?: { readonly port: number; readonly secrets: ServiceSecrets };
  readonly fastify?: FastifyServerOptions & { readonly http?: ServerOptions };
  /** For what is so frequent that the way to a route costs too much. */
  readonly takesRequest?: TakesRequest;
  readonly openApi?: OpenApi;
  /** Where browsers find the deployment, if that is known. */
  readonly publicUrl?: string | undefined;
  /** Served at `/metrics`. */
  readonly metrics?: Registry;
  /** Who is refused what, for the audit log; all refusals are logged. */
  readonly refusals?: RefusalAudit;
  /** Registers plugins and raw routes before Nest's own. */
  readonly configure?: (fastify: FastifyInstance, app: NestFastifyApplication) => void | Promise<void>;
}

export interface RunningService extends Stoppable {
  readonly app: NestFastifyApplication;
  readonly url: string;
  stop(): Promise<void>;
}
