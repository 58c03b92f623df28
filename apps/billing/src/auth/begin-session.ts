import type { FastifyRequest } from 'fastify';
import type { UserEntity } from '../accounts/user.entity.ts';
import type { SessionPolicy, SignInFacts } from './session-policy.ts';
import { limitSession } from './signed-in.ts';

/** Signs somebody in with this request: a session of a new id takes the place of whatever session there was. */
export async function beginSession(
  request: FastifyRequest,
  policy: SessionPolicy,
  user: Pick<UserEntity, 'id' | 'role'>,
  { authenticatedAt, factor }: Pick<SignInFacts, 'authenticatedAt' | 'factor'>,
): Promise<void> {
  await request.session.regenerate();
  Object.assign(request.session, { userId: user.id, authenticatedAt, factor, ...describeOrigin(request) });
  limitSession(request.session, policy, user);
}

/** What a new session notes of where it was begun. */
export const describeOrigin = (request: FastifyRequest) => ({
  isFresh: true,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 400),
  address: request.ip,
});
