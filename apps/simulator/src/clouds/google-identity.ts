import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { BearerTokens } from './bearer-tokens.ts';
import type { CloudState } from './faults.ts';
import { addIdentityRoute, readForm } from './identity-routes.ts';

/** Where the simulated Google stands below the simulator's address. */
export const GOOGLE = '/google';

const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const MAX_SKEW_S = 60;

/** Adds what gives out Google's tokens: for a service account, a federation, and what runs in its cloud. */
export function addGoogleIdentity(server: FastifyInstance, state: CloudState, tokens: BearerTokens): void {
  const keys = createServiceKeys();

  /** Whoever tests a relay needs a service account: this gives the file of one out. */
  server.post<{ Params: { name: string } }>('/__sim/clouds/service-accounts/:name', (request) => {
    const base = `http://${request.host}${GOOGLE}`;
    const client_email = `${request.params.name}@sim.iam.gserviceaccount.com`;
    return {
      type: 'service_account',
      project_id: 'sim',
      private_key_id: keys.id,
      private_key: keys.privatePem(),
      client_email,
      token_uri: `${base}/token`,
    };
  });

  addIdentityRoute(server, state, ['POST', `${GOOGLE}/token`], (request, reply) => {
    const form = readForm(request);
    if (form.get('grant_type') !== JWT_GRANT)
      return refuse(reply, 'unsupported_grant_type', 'Invalid grant_type');
    const audience = `http://${request.host}${GOOGLE}/token`;
    const checked = checkAssertion(form.get('assertion') ?? '', keys.find, audience, state.now() / 1_000);
    if ('fault' in checked) return refuse(reply, 'invalid_grant', checked.fault);
    return { ...tokens.issue({ cloud: 'google', ...checked }), token_type: 'Bearer' };
  });

  addIdentityRoute(server, state, ['POST', `${GOOGLE}/v1/token`], (request, reply) => {
    const form = readForm(request);
    const subject = form.get('subject_token') ?? '';
    if (form.get('grant_type') !== EXCHANGE_GRANT || !form.get('audience') || !subject)
      return refuse(reply, 'invalid_request', 'grant_type, audience and subject_token are required');
    if (form.get('requested_token_type') !== 'urn:ietf:params:oauth:token-type:access_token')
      return refuse(reply, 'invalid_request', 'Invalid requested_token_type');
    if (!subject.startsWith('sim-proof-'))
      return refuse(reply, 'invalid_grant', 'The subject token is invalid');
    const token = tokens.issue({ cloud: 'google', account: subject, scope: form.get('scope') ?? '' });
    return {
      ...token,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
    };
  });

  const impersonate = `${GOOGLE}/v1/projects/-/serviceAccounts/:account`;
  addIdentityRoute(server, state, ['POST', impersonate], (request, reply) => {
    const [, account] =
      /^(.+):generateAccessToken$/.exec((request.params as { account: string }).account) ?? [];
    if (account === undefined) return reply.code(404).send({ error: { code: 404, message: 'Not found' } });
    if (!tokens.find(request.headers.authorization, 'google'))
      return reply.code(401).send(unauthenticated('The caller has no valid token.'));
    const { scope = [] } = JSON.parse(String(request.body)) as { scope?: string[] };
    const { access_token, expires_in } = tokens.issue({ cloud: 'google', account, scope: scope.join(' ') });
    const expireTime = new Date(state.now() + expires_in * 1_000).toISOString();
    return { accessToken: access_token, expireTime };
  });

  const metadata = '/computeMetadata/v1/instance/service-accounts/default/token';
  addIdentityRoute(server, state, ['GET', metadata], (request, reply) => {
    if (request.headers['metadata-flavor'] !== 'Google')
      return reply.code(403).send('Missing required header "Metadata-Flavor": "Google"');
    void reply.header('metadata-flavor', 'Google');
    const account = 'default@sim.iam.gserviceaccount.com';
    const token = tokens.issue({ cloud: 'google', account, scope: CLOUD_PLATFORM });
    return { ...token, token_type: 'Bearer' };
  });
}

export const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';

export const unauthenticated = (message: string): object => ({
  error: { code: 401, message, status: 'UNAUTHENTICATED' },
});

const refuse = (reply: FastifyReply, error: string, error_description: string) =>
  reply.code(400).send({ error, error_description });

interface ServiceKeys {
  readonly id: string;
  privatePem(): string;
  find(id: unknown): KeyObject | undefined;
}

/** One pair for all service accounts, made when it is first asked for: that takes a while. */
function createServiceKeys(): ServiceKeys {
  let pair: { readonly publicKey: string; readonly privateKey: string } | undefined;
  const id = 'sim-key-1';
  const made = () =>
    (pair ??= generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }));
  return {
    id,
    privatePem: () => made().privateKey,
    find: (wanted) => (wanted === id && pair ? createPublicKey(pair.publicKey) : undefined),
  };
}

type Checked = { readonly account: string; readonly scope: string } | { readonly fault: string };

function checkAssertion(
  assertion: string,
  findKey: ServiceKeys['find'],
  audience: string,
  now: number,
): Checked {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const [header, claims] = [decode(head), decode(body)];
  const key = findKey(header['kid']);
  if (header['alg'] !== 'RS256' || !key) return { fault: 'Invalid JWT: Failed audience or key check.' };
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url')))
    return { fault: 'Invalid JWT Signature.' };
  const { iss, scope, aud, iat, exp } = claims;
  if (aud !== audience) return { fault: 'Invalid JWT: Failed audience check.' };
  if (typeof iss !== 'string' || !iss.endsWith('@sim.iam.gserviceaccount.com'))
    return { fault: 'Invalid grant: account not found' };
  if (typeof scope !== 'string' || scope === '') return { fault: 'Invalid OAuth scope' };
  const isTimely =
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    exp > now &&
    iat <= now + MAX_SKEW_S &&
    exp - iat <= 3_600;
  return isTimely
    ? { account: iss, scope }
    : { fault: 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.' };
}

function decode(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
