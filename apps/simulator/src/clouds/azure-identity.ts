import type { FastifyInstance, FastifyReply } from 'fastify';
import type { BearerTokens } from './bearer-tokens.ts';
import type { CloudState } from './faults.ts';
import { addIdentityRoute, readForm } from './identity-routes.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The secret of an app of the simulated Entra, so that whoever names one can prove it. */
export const appSecret = (clientId: string): string => `sim~secret~of~${clientId}`;

/** Adds Entra's token end point, and the two ways in which Azure gives a managed identity its tokens. */
export function addAzureIdentity(server: FastifyInstance, state: CloudState, tokens: BearerTokens): void {
  const issue = (account: string, scope: string) => tokens.issue({ cloud: 'azure', account, scope });

  addIdentityRoute(server, state, ['POST', '/:tenant/oauth2/v2.0/token'], (request, reply) => {
    const form = readForm(request);
    const id = form.get('client_id') ?? '';
    const scope = form.get('scope') ?? '';
    if (form.get('grant_type') !== 'client_credentials')
      return refuse(
        reply,
        400,
        'unsupported_grant_type',
        'AADSTS70003: The app requested an unsupported grant.',
      );
    if (!scope.endsWith('/.default'))
      return refuse(reply, 400, 'invalid_scope', `AADSTS1002012: The scope ${scope} is not valid.`);
    const proven =
      form.get('client_secret') === appSecret(id) ||
      (form.get('client_assertion_type') === ASSERTION_TYPE &&
        form.get('client_assertion')?.startsWith('sim-proof-') === true);
    if (id === '' || !proven)
      return refuse(reply, 401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.');
    return { token_type: 'Bearer', ...issue(id, scope), ext_expires_in: 3_599 };
  });

  addIdentityRoute(server, state, ['GET', '/metadata/identity/oauth2/token'], (request, reply) => {
    const query = request.query as Record<string, string | undefined>;
    if (request.headers['metadata'] !== 'true')
      return refuse(reply, 400, 'bad_request_102', 'Required metadata header not specified');
    if (
      query['api-version'] !== '2018-02-01' ||
      !query['resource'] ||
      query['resource'].endsWith('/.default')
    )
      return refuse(reply, 400, 'invalid_request', 'api-version and resource are required');
    return managed(issue(query['client_id'] ?? 'system-identity', query['resource']));
  });

  /** Of App Service and Container Apps. */
  addIdentityRoute(server, state, ['GET', '/msi/token'], (request, reply) => {
    const query = request.query as Record<string, string | undefined>;
    if (request.headers['x-identity-header'] !== 'sim-identity-header')
      return refuse(reply, 401, 'unauthorized', 'X-IDENTITY-HEADER is wrong');
    if (query['api-version'] !== '2019-08-01' || !query['resource'])
      return refuse(reply, 400, 'invalid_request', 'api-version and resource are required');
    return managed(issue(query['client_id'] ?? 'system-identity', query['resource']));
  });

  /** Numbers stand in texts there. */
  const managed = ({ access_token, expires_in }: ReturnType<BearerTokens['issue']>) => ({
    access_token,
    token_type: 'Bearer',
    expires_in: String(expires_in),
    expires_on: String(Math.floor(state.now() / 1_000 + expires_in)),
  });
}

const refuse = (reply: FastifyReply, status: number, error: string, error_description: string) =>
  reply.code(status).send({ error, error_description });
