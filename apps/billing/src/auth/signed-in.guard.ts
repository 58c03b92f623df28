import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Session } from '@tollgate/contracts';
import { httpError, mustBeSameSite, requirePermission } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import { LOOKUPS } from '../provided.ts';
import { sessionOf } from './session-store.ts';

export type SignedInRequest = FastifyRequest & { person: Session };

/** Lets people with a session pass, and tells the controller who they are. */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(@Inject(LOOKUPS) private readonly database: DataSource) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    if (request.method !== 'GET') mustBeSameSite(request);
    const { userId } = request.session;
    const user = userId && (await this.database.getRepository(UserEntity).findOneBy({ id: userId }));
    if (!user || user.status !== 'active') throw httpError(401, 'Sign in first: POST /api/auth/login.');
    request.session.address = request.ip;
    request.person = sessionOf(user);
    requirePermission(context, request.person);
    return true;
  }
}
