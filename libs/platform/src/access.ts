import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Permission } from '@tollgate/vocabulary';
import { PUBLIC } from '@tollgate/api/route';
import { findRoute } from './route.ts';

interface ServedRoute {
  readonly method: string;
  /** Such as `/api/keys/:id`. */
  readonly path: string;
  /** Undefined where the handler is of no route of the contract. */
  readonly access: Permission | 'anybody' | undefined;
}

type Handler = (...args: never[]) => unknown;

function accessOf(handler: object): ServedRoute['access'] {
  const permission = findRoute(handler)?.permission;
  return permission === PUBLIC ? 'anybody' : permission;
}

/** Every HTTP route of the application's controllers. */
export function listRoutes(app: NestFastifyApplication): ServedRoute[] {
  const scanner = new MetadataScanner();
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [
    ...module.controllers.values(),
  ]);
  return controllers.flatMap(({ metatype }) => {
    if (typeof metatype !== 'function') return [];
    const prefix = pathsOf(metatype)[0] ?? '';
    const prototype = metatype.prototype as Record<string, Handler>;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      const method = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
      if (handler === undefined || method === undefined) return [];
      return pathsOf(handler).map((path) => ({
        method: RequestMethod[method],
        path: `/${[prefix, path]
          .flatMap((part) => part.split('/'))
          .filter(Boolean)
          .join('/')}`,
        access: accessOf(handler),
      }));
    });
  });
}

const pathsOf = (target: object): string[] =>
  [Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined]
    .flat()
    .map((path) => path ?? '');

/** @throws Error for a handler that serves no route of the contract: nothing says who may call it. */
export function requireDescribedRoutes(app: NestFastifyApplication): void {
  const unnamed = listRoutes(app).filter(({ access }) => access === undefined);
  if (unnamed.length === 0) return;
  const names = unnamed.map(({ method, path }) => `${method} ${path}`).join(', ');
  throw new Error(`These handlers need a route of the contract and @Handles: ${names}`);
}
