import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import Fastify from 'fastify';

export interface TestProvider {
  readonly issuer: string;
  /** What the next ID token says; its defaults are right. */
  says(claims: Readonly<Record<string, unknown>>): void;
  /** Signs the next ID tokens with a key that is not published. */
  forge(): void;
  stop(): Promise<void>;
}

/** Who we are to it. */
export const OIDC_CLIENT = { id: 'tollgate', secret: 'a secret of the client' };

/** A provider of OpenID Connect that lets everybody in at once, with PKCE and a key of its own. */
export async function startTestProvider(): Promise<TestProvider> {
  const [real, other] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }));
  if (!real || !other) throw new Error('no keys');
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();
  let claims: Readonly<Record<string, unknown>> = {};
  let key = real.privateKey;
  const server = Fastify();
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  let issuer = '';

  server.get('/.well-known/openid-configuration', () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  }));
  server.get('/jwks', () => ({
    keys: [{ ...real.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
  }));
  server.get<{ Querystring: Record<string, string> }>('/authorize', async ({ query }, reply) => {
    const code = randomUUID();
    codes.set(code, { nonce: query['nonce'] ?? '', challenge: query['code_challenge'] ?? '' });
    const back = new URL(query['redirect_uri'] ?? '');
    back.search = new URLSearchParams({ code, state: query['state'] ?? '' }).toString();
    await reply.redirect(back.href, 302);
  });
  server.post<{ Body: Record<string, string> }>('/token', async ({ body }, reply) => {
    const asked = codes.get(body['code'] ?? '');
    codes.delete(body['code'] ?? '');
    const challenge = createHash('sha256')
      .update(body['code_verifier'] ?? '')
      .digest('base64url');
    if (!asked || asked.challenge !== challenge) return reply.code(400).send({ error: 'invalid_grant' });
    const now = Math.floor(Date.now() / 1_000);
    return {
      access_token: randomUUID(),
      token_type: 'Bearer',
      id_token: sign(key, {
        iss: issuer,
        aud: OIDC_CLIENT.id,
        sub: 'subject-1',
        iat: now,
        exp: now + 60,
        nonce: asked.nonce,
        ...claims,
      }),
    };
  });
  issuer = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    issuer,
    says: (said) => {
      claims = said;
    },
    forge: () => {
      key = other.privateKey;
    },
    async stop() {
      await server.close();
    },
  };
}

function sign(key: Parameters<ReturnType<typeof createSign>['sign']>[0], claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
}
