import { type ExecutionContext, RequestMethod, SetMetadata } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Session } from '@tollgate/contracts';
import { isAllowed, type Permission } from '@tollgate/vocabulary';
import { PUBLIC } from '@tollgate/api/route';
import { httpError } from './http-errors.ts';
import { findRoute } from './route.ts';

const ACCESS = 'tollgate:access';

type Access = Permission | 'anybody';

/** What somebody who is signed in needs to be allowed to call this route. */
export const Allow = (permission: Permission) => SetMetadata(ACCESS, permission);

/** This route is for people who are not signed in, too. */
export const AllowAnybody = () => SetMetadata(ACCESS, 'anybody' satisfies Access);

interface GuardedRoute {
  readonly method: string;
  /** Such as `/api/keys/:id`. */
  readonly path: string;
  /** Undefined where the route names none. */
  readonly access: Access | undefined;
  readonly isGuarded: boolean;
}

type Handler = (...args: never[]) => unknown;

function accessOf(handler: object): Access | undefined {
  const route = findRoute(handler);
  if (route) return route.permission === PUBLIC ? 'anybody' : route.permission;
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}

/**
 * Guards call it once they know who is asking.
 *
 * @throws HttpException 403 where the role may not call this route, or the route does not say who may.
 */
export function requirePermission(context: ExecutionContext, { role }: Session): void {
  const access = accessOf(context.getHandler());
  if (access !== undefined && access !== 'anybody' && isAllowed(role, access)) return;
  throw httpError(403, `The role ${role} may not do this. Ask an owner or admin of this service.`);
}

/** Every HTTP route of the application's controllers. */
export function listRoutes(app: NestFastifyApplication): GuardedRoute[] {
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
      // Routes of the contract stand behind the global guard.
      const isGuarded =
        findRoute(handler) !== undefined ||
        [metatype, handler].some((target) => Reflect.hasMetadata(GUARDS_METADATA, target));
      return pathsOf(handler).map((path) => ({
        method: RequestMethod[method],
        path: `/${[prefix, path]
          .flatMap((part) => part.split('/'))
          .filter(Boolean)
          .join('/')}`,
        access: accessOf(handler),
        isGuarded,
      }));
    });
  });
}

const pathsOf = (target: object): string[] =>
  [Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined]
    .flat()
    .map((path) => path ?? '');

/** @throws Error for a route that does not say who may call it, or says it to nobody who checks. */
export function requireNamedAccess(app: NestFastifyApplication): void {
  const unnamed = listRoutes(app).filter(
    ({ access, isGuarded }) => access === undefined || (access !== 'anybody' && !isGuarded),
  );
  if (unnamed.length === 0) return;
  const names = unnamed.map(({ method, path }) => `${method} ${path}`).join(', ');
  throw new Error(`These routes need @Allow with a guard, or @AllowAnybody: ${names}`);
}
