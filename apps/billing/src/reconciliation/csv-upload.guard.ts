import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { httpError, requirePermission } from '@tollgate/platform';
import type { FastifyInstance } from 'fastify';
import type { DataSource } from 'typeorm';
import type { SignedInRequest } from '../auth/signed-in.guard.ts';
import type { SessionPolicy } from '../auth/session-policy.ts';
import { toSession } from '../auth/session-store.ts';
import { findSignedIn } from '../auth/signed-in.ts';
import { LOOKUPS, SESSION_POLICY } from '../provided.ts';

/** Leaves `text/csv` bodies unread, as streams. */
export function passCsvOn(fastify: FastifyInstance): void {
  fastify.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));
}

/**
 * Lets people with a session send a file. A form of another site cannot send `text/csv`, nor a script of one without
 * an Origin that is not ours.
 */
@Injectable()
export class CsvUploadGuard implements CanActivate {
  constructor(
    @Inject(LOOKUPS) private readonly database: DataSource,
    @Inject(SESSION_POLICY) private readonly policy: SessionPolicy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const { origin, 'content-type': type } = request.headers;
    if (origin !== undefined && URL.parse(origin)?.host !== request.host)
      throw httpError(403, 'The Origin of this request is another site.');
    if (type?.split(';')[0]?.trim().toLowerCase() !== 'text/csv')
      throw httpError(400, 'Send the file as it is with Content-Type: text/csv.');
    const user = await findSignedIn(this.database, this.policy, request);
    if (!user) throw httpError(401, 'Sign in first: POST /api/auth/login.');
    request.person = toSession(user);
    requirePermission(context, request.person);
    return true;
  }
}
