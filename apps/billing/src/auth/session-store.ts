import { createHash } from 'node:crypto';
import type { Session } from '@tollgate/contracts';
import type { FastifySessionObject } from '@fastify/session';
import { type DataSource, LessThan } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import { SessionEntity } from './session.entity.ts';

declare module 'fastify' {
  interface Session {
    userId?: string;
    /** Begun by this request: only such a session is written where there is none. */
    isFresh?: boolean;
    userAgent?: string;
    address?: string;
  }
}

type Done = (error: unknown, session?: never) => void;

/** Of who is on the way to sign in. */
const STRANGER_MS = 10 * 60_000;

/** What is stored in place of a session's id. */
export const hashSessionId = (id: string): string => createHash('sha256').update(id).digest('hex');

/** Sessions in Postgres, in the form that the session plugin calls, and the look-up for other services. */
export interface Sessions {
  set(id: string, session: FastifySessionObject, done: Done): void;
  get(id: string, done: (error: unknown, session?: FastifySessionObject | null) => void): void;
  destroy(id: string, done: Done): void;
  /** Who is signed in with this session id; null when nobody is (any more). */
  find(id: string): Promise<Session | null>;
  removeExpired(): Promise<void>;
}

export function createSessions(database: DataSource): Sessions {
  const rows = database.getRepository(SessionEntity);
  const settle = (work: Promise<unknown>, done: Done) => void work.then(() => done(null), done);

  return {
    set(id, session, done) {
      const { isFresh, ...data } = JSON.parse(JSON.stringify(session)) as FastifySessionObject;
      const expires = session.cookie.expires ?? new Date(Date.now() + 86_400_000);
      const row = {
        userId: session.userId ?? null,
        data,
        expiresAt: session.userId === undefined ? new Date(Date.now() + STRANGER_MS) : expires,
        lastSeenAt: new Date(),
        address: session.address ?? '',
      };
      // What was ended while a request of it was under way stays ended.
      const work = isFresh
        ? rows.insert({ ...row, idHash: hashSessionId(id), userAgent: session.userAgent ?? '' })
        : rows.update({ idHash: hashSessionId(id) }, row);
      settle(work, done);
    },
    get: (id, done) =>
      void rows.findOneBy({ idHash: hashSessionId(id) }).then(
        (row) => done(null, row && row.expiresAt > new Date() ? (row.data as FastifySessionObject) : null),
        (error: unknown) => done(error),
      ),
    destroy: (id, done) => settle(rows.delete({ idHash: hashSessionId(id) }), done),
    async find(id) {
      const row = await rows.findOneBy({ idHash: hashSessionId(id) });
      if (!row?.userId || row.expiresAt <= new Date()) return null;
      const user = await database.getRepository(UserEntity).findOneBy({ id: row.userId });
      return user?.status === 'active' ? sessionOf(user) : null;
    },
    async removeExpired() {
      await rows.delete({ expiresAt: LessThan(new Date()) });
    },
  };
}

export const sessionOf = (user: UserEntity): Session => ({
  user_id: user.id,
  account_id: user.accountId,
  email: user.email,
  role: user.role,
});
