import {
  type CanActivate,
  type ExecutionContext,
  createParamDecorator,
  Inject,
  Injectable,
} from '@nestjs/common';
import { PUBLIC, type Route } from '@tollgate/api/route';
import { REAUTHENTICATION_REQUIRED, type Session } from '@tollgate/contracts';
import { isAllowed } from '@tollgate/vocabulary';
import type { FastifyRequest } from 'fastify';
import { httpError } from './http-errors.ts';
import { findRoute } from './route.ts';
import { requireSameSite } from './same-site.ts';

/** How a service knows who is asking. */
export interface Sessions {
  /**
   * Who asks; null for nobody.
   *
   * @throws HttpException where that cannot be told, or somebody is signed in by half.
   */
  find(request: FastifyRequest, route: Route): Promise<Session | null>;
  /** Whether they proved lately who they are. */
  isFresh(request: FastifyRequest): boolean | Promise<boolean>;
}
export const SESSIONS = Symbol('sessions');

interface CalledRequest extends FastifyRequest {
  person?: Session;
}

/** Who is signed in with a request, once its guard knows. */
export const findCaller = (request: FastifyRequest): Session | undefined => (request as CalledRequest).person;

/** Who is signed in with the request, for handlers of routes that need a permission. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Session => {
  const person = findCaller(context.switchToHttp().getRequest());
  if (!person) throw new Error('@Caller() stands at a public route.');
  return person;
});

/**
 * The only guard of a service: whoever calls a route must be allowed what it names, in the account that it names. A
 * handler without a route is refused by `requireDescribedRoutes` at start.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(SESSIONS) private readonly sessions: Sessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = context.getType() === 'http' ? findRoute(context.getHandler()) : undefined;
    if (!route) return true;
    const request = context.switchToHttp().getRequest<CalledRequest>();
    if (request.method !== 'GET') requireSameSite(request, bodyTypeOf(route));
    if (route.permission === PUBLIC) return true;
    const person = await this.sessions.find(request, route);
    if (!person) throw httpError(401, 'Sign in first: POST /api/auth/login.', null, 'not_signed_in');
    request.person = person;
    if (!isAllowed(person.role, route.permission))
      throw httpError(
        403,
        `The role ${person.role} may not do this. Ask an owner or admin of this service.`,
        null,
        'permission_denied',
      );
    requireOwnAccount(person, route, request);
    await this.#requireFresh(request, route);
    return true;
  }

  /** @throws HttpException 403 before what is dangerous, for who proved too long ago who they are. */
  async #requireFresh(request: FastifyRequest, { reauthenticate }: Route): Promise<void> {
    const isNeeded =
      typeof reauthenticate === 'function' ? reauthenticate(request.body) : reauthenticate === true;
    if (!isNeeded) return;
    if (await this.sessions.isFresh(request)) return;
    throw httpError(
      403,
      'Prove once more who you are: POST /api/auth/reauthentication. Then ask again.',
      null,
      REAUTHENTICATION_REQUIRED,
    );
  }
}

/** JSON where a route takes a body and says nothing else; null where it takes none. */
const bodyTypeOf = ({ body, bodyType }: Route): string | null =>
  bodyType ?? (body === undefined ? null : 'application/json');

/** @throws HttpException 403 where the request names an account that its caller may not act in. */
function requireOwnAccount(person: Session, { account }: Route, request: FastifyRequest): void {
  if (!account) return;
  const sent: unknown = request[account.in];
  const named: unknown =
    typeof sent === 'object' && sent !== null ? Reflect.get(sent, account.name) : undefined;
  const isOwn = typeof named === 'string' && named.toLowerCase() === person.account_id;
  if (named === undefined || isOwn || isAllowed(person.role, account.others)) return;
  throw httpError(403, 'That is another account.', account.name, 'another_account');
}
