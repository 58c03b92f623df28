import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { MESSAGE, type Session, sessionSchema } from '@tollgate/contracts';
import {
  httpError,
  unavailable,
  mustBeSameSite,
  requirePermission,
  type RequestReplyClient,
} from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import { BILLING } from '../provided.ts';

export type AdminRequest = FastifyRequest & { session?: Session };

/** Lets owners and admins pass: billing knows who is signed in. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(@Inject(BILLING) private readonly billing: RequestReplyClient) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    if (request.method !== 'GET') mustBeSameSite(request);
    const session = await this.#session(request.headers.cookie ?? '');
    if (!session) throw httpError(401, 'Sign in first: POST /api/auth/login.');
    requirePermission(context, session);
    request.session = session;
    return true;
  }

  async #session(cookie: string): Promise<Session | null> {
    if (cookie === '') return null;
    try {
      return await this.billing.request(MESSAGE.sessionLookup, { cookie }, sessionSchema.nullable());
    } catch (error) {
      throw unavailable('Sessions cannot be checked at the moment. Try again shortly.', error);
    }
  }
}
