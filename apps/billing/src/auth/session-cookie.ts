import { fastifyCookie, Signer } from '@fastify/cookie';
import session from '@fastify/session';
import { SESSION_COOKIE, withHostName, withPlainName } from '@tollgate/platform';
import type { FastifyInstance } from 'fastify';
import type { Sessions } from './session-store.ts';

/** Sessions of the console: an opaque signed id in a cookie that scripts cannot read and other sites do not send. */
export async function serveSessions(
  fastify: FastifyInstance,
  secret: string,
  sessions: Sessions,
  maxAgeMs: number,
): Promise<void> {
  fastify.addHook('onRequest', ({ headers, protocol }, _reply, done) => {
    if (headers.cookie !== undefined) headers.cookie = withPlainName(headers.cookie, protocol === 'https');
    done();
  });
  await fastify.register(fastifyCookie);
  await fastify.register(session, {
    secret,
    cookieName: SESSION_COOKIE,
    saveUninitialized: false,
    rolling: true,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: 'auto', maxAge: maxAgeMs },
    store: sessions,
  });
  // After the plugin has said what it sets.
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const set = [reply.getHeader('set-cookie') ?? []].flat();
    if (request.protocol === 'https' && set.length > 0) {
      void reply.removeHeader('set-cookie');
      void reply.header('set-cookie', set.map(String).map(withHostName));
    }
    done();
  });
}

/** The session id in a Cookie header whose signature is ours, for services that have only the header. */
export function parseSessionId(header: string, secret: string): string | undefined {
  const value = fastifyCookie.parse(header)[SESSION_COOKIE];
  if (!value) return undefined;
  const unsigned = new Signer(secret).unsign(value);
  return unsigned.valid && unsigned.value !== null ? unsigned.value : undefined;
}
