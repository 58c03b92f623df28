import type { FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { findActivePerson } from '../accounts/active-people.ts';
import type { UserEntity } from '../accounts/user.entity.ts';
import { isOver, type SessionPolicy, type SignInFacts } from './session-policy.ts';

/** What a request's session says of the sign-in that began it. */
export const signInFacts = ({
  begunAt = 0,
  lastSeenAt = 0,
  authenticatedAt = 0,
  factor,
}: FastifyRequest['session']): SignInFacts => ({ begunAt, lastSeenAt, authenticatedAt, factor });

/**
 * Who is signed in with a request: somebody active, whose session has not ended, and who has shown what their role
 * needs. Who is between the password and the second factor is nobody. The only place that says so for requests.
 */
export async function findSignedIn(
  database: DataSource,
  policy: SessionPolicy,
  { session }: FastifyRequest,
): Promise<UserEntity | undefined> {
  if (!session.userId) return undefined;
  const user = await findActivePerson(database, session.userId);
  if (!user || isOver(policy, user.role, signInFacts(session), Date.now())) return undefined;
  limitSession(session, policy, user);
  return user;
}

/** A session lasts as long as those of a role do, which may have changed since it was begun. */
export function limitSession(
  session: FastifyRequest['session'],
  policy: SessionPolicy,
  { role }: Pick<UserEntity, 'role'>,
): void {
  session.idleMs = policy.idleMs(role);
  session.maxMs = policy.maxMs(role);
}
