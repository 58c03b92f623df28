import type { FastifyRequest } from 'fastify';
import type { UserEntity } from '../accounts/user.entity.ts';

/** Signs somebody in with this request: a session of a new id takes the place of whatever session there was. */
export async function beginSession(request: FastifyRequest, { id }: Pick<UserEntity, 'id'>): Promise<void> {
  await request.session.regenerate();
  Object.assign(request.session, { userId: id, ...originOf(request) });
}

/** What a new session notes of where it was begun. */
export const originOf = (request: FastifyRequest) => ({
  isFresh: true,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 400),
  address: request.ip,
});
