import { createHash } from 'node:crypto';
import type { Session } from '@tollgate/contracts';
import type { FastifySessionObject } from '@fastify/session';
import { type DataSource, LessThan } from 'typeorm';
import { findActivePerson } from '../accounts/active-people.ts';
import type { UserEntity } from '../accounts/user.entity.ts';
import { isFresh, isOver, type SessionPolicy, type SignInFacts } from './session-policy.ts';
import { SessionEntity } from './session.entity.ts';

declare module 'fastify' {
  interface Session {
    userId?: string;
    /** Begun by this request: only such a session is written where there is none. */
    isFresh?: boolean;
    userAgent?: string;
    address?: string;
    /** When whoever is signed in last proved who they are; in milliseconds. */
    authenticatedAt?: number;
    /** How the second factor was shown. */
    factor?: string;
    /** How long it lasts unused, and at all, by the role of whoever is signed in. */
    idleMs?: number;
    maxMs?: number;
    /** Of its row, which alone says it. */
    begunAt?: number;
    lastSeenAt?: number;
  }
}

type Done = (error: unknown, session?: never) => void;

/** Of who is on the way to sign in. */
export const STRANGER_MS = 10 * 60_000;

/** Of one that is used by other services only, that is how exactly it is known when it was last seen. */
const SEEN_MS = 60_000;

/** What is stored in place of a session's id. */
export const hashSessionId = (id: string): string => createHash('sha256').update(id).digest('hex');

/** Sessions in Postgres, in the form that the session plugin calls, and the look-up for other services. */
export interface Sessions {
  set(id: string, session: FastifySessionObject, done: Done): void;
  get(id: string, done: (error: unknown, session?: FastifySessionObject | null) => void): void;
  destroy(id: string, done: Done): void;
  /** Who is signed in with this session id, and whether they proved it lately; null when nobody is (any more). */
  find(id: string): Promise<{ readonly session: Session; readonly isFresh: boolean } | null>;
  removeExpired(): Promise<void>;
}

export function createSessions(database: DataSource, policy: SessionPolicy): Sessions {
  const rows = database.getRepository(SessionEntity);
  const settle = (work: Promise<unknown>, done: Done) => void work.then(() => done(null), done);

  return {
    set(id, session, done) {
      const { isFresh, begunAt, ...data } = JSON.parse(JSON.stringify(session)) as FastifySessionObject;
      delete data.lastSeenAt;
      const now = Date.now();
      const { idleMs = STRANGER_MS, maxMs = STRANGER_MS } = session.userId === undefined ? {} : session;
      const row = {
        userId: session.userId ?? null,
        data,
        expiresAt: new Date(Math.min(now + idleMs, (begunAt ?? now) + maxMs)),
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
        (row) => {
          if (!row || row.expiresAt <= new Date()) return done(null, null);
          const { begunAt, lastSeenAt } = toFacts(row);
          done(null, Object.assign(row.data as FastifySessionObject, { begunAt, lastSeenAt }));
        },
        (error: unknown) => done(error),
      ),
    destroy: (id, done) => settle(rows.delete({ idHash: hashSessionId(id) }), done),
    async find(id) {
      const row = await rows.findOneBy({ idHash: hashSessionId(id) });
      if (!row?.userId || row.expiresAt <= new Date()) return null;
      const user = await findActivePerson(database, row.userId);
      const [facts, now] = [toFacts(row), Date.now()];
      if (!user || isOver(policy, user.role, facts, now)) return null;
      if (now - facts.lastSeenAt > SEEN_MS)
        await rows.update({ idHash: row.idHash }, { lastSeenAt: new Date(now) });
      return { session: toSession(user), isFresh: isFresh(policy, facts, now) };
    },
    async removeExpired() {
      await rows.delete({ expiresAt: LessThan(new Date()) });
    },
  };
}

function toFacts({ data, createdAt, lastSeenAt }: SessionEntity): SignInFacts {
  const { authenticatedAt = 0, factor } = data as FastifySessionObject;
  return { begunAt: createdAt.getTime(), lastSeenAt: lastSeenAt.getTime(), authenticatedAt, factor };
}

export const toSession = (user: UserEntity): Session => ({
  user_id: user.id,
  account_id: user.accountId,
  email: user.email,
  role: user.role,
});
