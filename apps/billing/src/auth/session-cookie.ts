import { fastifyCookie, Signer } from '@fastify/cookie';
import session from '@fastify/session';
import type { FastifyInstance } from 'fastify';
import type { Sessions } from './session-store.ts';

const NAME = 'tollgate_session';

/** Sessions of the console: an opaque signed id in a cookie that scripts cannot read and other sites do not send. */
export async function serveSessions(
  fastify: FastifyInstance,
  secret: string,
  sessions: Sessions,
  maxAgeMs: number,
): Promise<void> {
  await fastify.register(fastifyCookie);
  await fastify.register(session, {
    secret,
    cookieName: NAME,
    saveUninitialized: false,
    rolling: true,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: 'auto', maxAge: maxAgeMs },
    store: sessions,
  });
}

/** The session id in a Cookie header whose signature is ours, for services that have only the header. */
export function sessionIdOf(header: string, secret: string): string | undefined {
  const value = fastifyCookie.parse(header)[NAME];
  if (!value) return undefined;
  const unsigned = new Signer(secret).unsign(value);
  return unsigned.valid && unsigned.value !== null ? unsigned.value : undefined;
}
