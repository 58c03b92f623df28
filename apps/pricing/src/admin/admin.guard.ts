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
  requireSameSite,
  requirePermission,
  type RequestReplyClient,
  withPlainName,
} from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BILLING } from '../provided.ts';

export type AdminRequest = FastifyRequest & { admin?: Session };

/** Lets owners and admins pass: billing knows who is signed in. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(@Inject(BILLING) private readonly billing: RequestReplyClient) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    if (request.method !== 'GET') requireSameSite(request);
    const session = await this.#ask(() => findSession(this.billing, request));
    if (!session) throw httpError(401, 'Sign in first: POST /api/auth/login.');
    request.admin = session;
    requirePermission(context, session);
    if (isDangerous(request.method, request.routeOptions.url ?? '')) await this.#requireFresh(request);
    return true;
  }

  async #requireFresh(request: FastifyRequest): Promise<void> {
    const cookie = sessionCookieOf(request);
    if (await this.#ask(() => this.billing.request(MESSAGE.sessionFresh, { cookie }, z.boolean()))) return;
    throw httpError(
      403,
      'Prove once more who you are: POST /api/auth/reauthentication. Then ask again.',
      null,
      REAUTHENTICATION_REQUIRED,
    );
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw unavailable('Sessions cannot be checked at the moment. Try again shortly.', error);
    }
  }
}

const sessionCookieOf = ({ headers, protocol }: FastifyRequest): string =>
  withPlainName(headers.cookie ?? '', protocol === 'https');

/** Who is signed in with a request; null for nobody. @throws where billing does not answer. */
export async function findSession(
  billing: RequestReplyClient,
  request: FastifyRequest,
): Promise<Session | null> {
  const cookie = sessionCookieOf(request);
  if (cookie === '') return null;
  return billing.request(MESSAGE.sessionLookup, { cookie }, sessionSchema.nullable());
}
