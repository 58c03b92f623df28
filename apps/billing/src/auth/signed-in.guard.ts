import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { SECOND_FACTOR_REQUIRED, type Session } from '@tollgate/contracts';
import { httpError, requireSameSite, requirePermission } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { LOOKUPS, SESSION_POLICY } from '../provided.ts';
import type { SessionPolicy } from './session-policy.ts';
import { toSession } from './session-store.ts';
import { findSignedIn } from './signed-in.ts';

export type SignedInRequest = FastifyRequest & { person: Session };

/** Lets people with a session pass, and tells the controller who they are. */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(
    @Inject(LOOKUPS) private readonly database: DataSource,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    if (request.method !== 'GET') requireSameSite(request);
    const user = await findSignedIn(this.database, this.policy, request);
    if (!user)
      throw request.session.step ? unfinished() : httpError(401, 'Sign in first: POST /api/auth/login.');
    request.session.address = request.ip;
    request.person = toSession(user);
    requirePermission(context, request.person);
    return true;
  }
}

const unfinished = () =>
  httpError(
    401,
    'Show your second factor first: POST /api/auth/second-factor.',
    null,
    SECOND_FACTOR_REQUIRED,
  );
