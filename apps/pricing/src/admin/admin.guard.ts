import { type CanActivate, type ExecutionContext, HttpException, Inject, Injectable } from '@nestjs/common';
import { MESSAGE, type Session, sessionSchema } from '@tollgate/contracts';
import { errorBody, type RequestReplyClient } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import { BILLING } from '../provided.ts';

export type AdminRequest = FastifyRequest & { session?: Session };

const refuse = (status: number, message: string) => new HttpException(errorBody(status, message), status);

/** Lets owners and admins pass: billing knows who is signed in. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(@Inject(BILLING) private readonly billing: RequestReplyClient) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    if (request.method !== 'GET') checkOrigin(request);
    const session = await this.#session(request.headers.cookie ?? '');
    if (!session) throw refuse(401, 'Sign in first: POST /api/auth/login.');
    if (session.role !== 'owner' && session.role !== 'admin') throw refuse(403, 'This needs the role owner or admin.');
    request.session = session;
    return true;
  }

  async #session(cookie: string): Promise<Session | null> {
    if (cookie === '') return null;
    try {
      return await this.billing.request(MESSAGE.sessionLookup, { cookie }, sessionSchema.nullable());
    } catch {
      throw refuse(503, 'Sessions cannot be checked at the moment. Try again shortly.');
    }
  }
}

/** A page of another site can send a form, but neither this content type nor our origin. */
function checkOrigin(request: FastifyRequest): void {
  const { origin } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== (request.headers['x-forwarded-host'] ?? request.host)) {
    throw refuse(403, 'The Origin of this request is another site.');
  }
  const type = request.headers['content-type'];
  if (type === undefined ? request.method !== 'DELETE' : !type.startsWith('application/json')) {
    throw refuse(400, 'Send Content-Type: application/json.');
  }
}
