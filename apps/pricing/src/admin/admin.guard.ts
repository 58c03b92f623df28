import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import {
  isDangerous,
  MESSAGE,
  REAUTHENTICATION_REQUIRED,
  type Session,
  sessionSchema,
} from '@tollgate/contracts';
import {
  httpError,
  unavailable,
  mustBeSameSite,
  requirePermission,
  type RequestReplyClient,
} from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
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
    if (isDangerous(request.method, request.routeOptions.url ?? '', request.body))
      await this.#requireFresh(request.headers.cookie ?? '');
    request.session = session;
    return true;
  }

  async #session(cookie: string): Promise<Session | null> {
    return cookie === '' ? null : this.#ask(MESSAGE.sessionLookup, cookie, sessionSchema.nullable());
  }

  async #requireFresh(cookie: string): Promise<void> {
    if (await this.#ask(MESSAGE.sessionFresh, cookie, z.boolean())) return;
    throw httpError(
      403,
      'Prove once more who you are: POST /api/auth/reauthentication. Then ask again.',
      null,
      REAUTHENTICATION_REQUIRED,
    );
  }

  async #ask<T>(message: string, cookie: string, answer: z.ZodType<T>): Promise<T> {
    try {
      return await this.billing.request(message, { cookie }, answer);
    } catch (error) {
      throw unavailable('Sessions cannot be checked at the moment. Try again shortly.', error);
    }
  }
}
