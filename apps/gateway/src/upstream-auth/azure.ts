import { readFile } from 'node:fs/promises';
import { AMBIENT } from '@tollgate/catalogue';
import { requireAmbientUpstream } from './ambient.ts';
import { type AuthOptions, type AuthScheme, UpstreamAuthError } from './auth-scheme.ts';
import { createBearerAuth } from './bearer.ts';
import { askForToken, readToken, type TokenHost } from './token-client.ts';
import type { Lease } from './token-source.ts';

const PUBLIC_CLOUD = 'https://login.microsoftonline.com';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const WHOSE = 'Entra';

interface Asked {
  readonly scope: string;
  readonly tenantId: string | undefined;
  readonly clientId: string | undefined;
  readonly authority: string | undefined;
  readonly host: TokenHost;
  readonly signal: AbortSignal;
}

/** A token of Entra: for the secret of an app, or for the identity that Azure gives the gateway. */
export const createAzureAuth: AuthScheme = (options) => {
  const { upstream, secret } = options;
  const auth = upstream.auth?.kind === 'azure' ? upstream.auth : undefined;
  return createBearerAuth(options, async (signal) => {
    const asked: Asked = {
      scope: auth?.scope ?? defaultScope(upstream.base_url),
      tenantId: auth?.tenant_id,
      clientId: auth?.client_id,
      authority: auth?.authority,
      host: upstream.allow_private_addresses ? 'private' : 'public',
      signal,
    };
    return secret === AMBIENT
      ? askAsGateway(asked, options)
      : askAsApp(asked, { client_secret: secret ?? '' });
  });
};

/** The newer hosts have a scope of their own. */
const defaultScope = (baseUrl: string): string =>
  new URL(baseUrl).hostname.endsWith('.services.ai.azure.com')
    ? 'https://ai.azure.com/.default'
    : 'https://cognitiveservices.azure.com/.default';

async function askAsApp(
  { scope, tenantId, clientId, authority = PUBLIC_CLOUD, host, signal }: Asked,
  proof: Readonly<Record<string, string>>,
): Promise<Lease<string>> {
  if (tenantId === undefined || clientId === undefined)
    throw new UpstreamAuthError('The auth of this upstream names no tenant_id or no client_id.', true);
  const url = `${authority.replace(/\/+$/, '')}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    scope,
    ...proof,
  });
  return readToken(WHOSE, await askForToken(url, { host, body, signal }));
}

/** Workload identity where the pod has one, else the managed identity of the machine, in Azure's own variables. */
async function askAsGateway(asked: Asked, options: AuthOptions): Promise<Lease<string>> {
  requireAmbientUpstream(options);
  const { env } = process;
  const file = env['AZURE_FEDERATED_TOKEN_FILE'];
  if (file !== undefined) {
    // Kubernetes writes a new one before the old one ends.
    const client_assertion = (await readFile(file, 'utf8')).trim();
    return askAsApp(
      {
        ...asked,
        tenantId: asked.tenantId ?? env['AZURE_TENANT_ID'],
        clientId: asked.clientId ?? env['AZURE_CLIENT_ID'],
        // The proof of the pod goes to nobody whom the catalogue names.
        authority: env['AZURE_AUTHORITY_HOST'],
        host: 'metadata',
      },
      { client_assertion_type: ASSERTION_TYPE, client_assertion },
    );
  }
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = env;
  const clientId = asked.clientId ?? env['AZURE_CLIENT_ID'];
  const query = new URLSearchParams({
    'api-version': endpoint !== undefined && header !== undefined ? '2019-08-01' : '2018-02-01',
    resource: asked.scope.replace(/\/\.default$/, ''),
    ...(clientId === undefined ? {} : { client_id: clientId }),
  });
  const [url, headers]: [string, Record<string, string>] =
    endpoint !== undefined && header !== undefined
      ? [endpoint, { 'x-identity-header': header }]
      : [
          `${env['AZURE_POD_IDENTITY_AUTHORITY_HOST'] ?? 'http://169.254.169.254'}/metadata/identity/oauth2/token`,
          { metadata: 'true' },
        ];
  const { signal } = asked;
  const answer = await askForToken(`${url}?${query}`, { host: 'metadata', method: 'GET', headers, signal });
  return readToken("Azure's managed identity", withExpiresIn(answer));
}

/** Some say only when a token ends. */
function withExpiresIn(answer: Awaited<ReturnType<typeof askForToken>>) {
  const { json, date = Date.now() } = answer;
  if (json['expires_in'] !== undefined) return answer;
  return { ...answer, json: { ...json, expires_in: Number(json['expires_on']) - date / 1_000 } };
}
