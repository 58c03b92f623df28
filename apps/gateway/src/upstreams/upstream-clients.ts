import type { Upstream } from '@tollgate/catalogue';
import { type Keyring, type Logger, unseal } from '@tollgate/platform';
import { upstreamConnector } from '@tollgate/platform/upstream-connector';
import { placeId } from '@tollgate/protocols';
import { Pool } from 'undici';
import { targetId } from '../health/registry.ts';
import type { OpenCredential, UpstreamClient, UpstreamClients } from '../route/upstream-client.ts';
import { type AuthKeeper, createAuthKeeper } from '../upstream-auth/registry.ts';

interface ClientOptions {
  /** Who may be shown what the gateway's own identity proves. */
  readonly ambientHosts: readonly string[];
  readonly logger: Pick<Logger, 'warn'>;
}

export function createUpstreamClients(
  keys: Buffer | Keyring,
  { ambientHosts = [], logger = { warn: () => {} } }: Partial<ClientOptions> = {},
): UpstreamClients {
  const auths = createAuthKeeper({ ambientHosts, logger });
  let open = new Map<string, Pool>();
  return {
    update(upstreams) {
      const kept = new Map<string, Pool>();
      const clients = upstreams.map((upstream): [string, UpstreamClient] => {
        const place = placeOf(upstream);
        const pool = kept.get(place) ?? open.get(place) ?? connect(upstream);
        kept.set(place, pool);
        return [upstream.name, clientOf(upstream, pool, keys, auths)];
      });
      for (const [place, pool] of open) {
        // `close` lets requests in flight finish; nothing waits for them here.
        if (!kept.has(place)) void pool.close();
      }
      open = kept;
      auths.prune();
      return new Map(clients);
    },
    openApart: (upstream) =>
      clientOf(upstream, connect(upstream), keys, createAuthKeeper({ ambientHosts, logger })),
    async close() {
      await Promise.all([...open.values()].map((pool) => pool.destroy()));
      open = new Map();
    },
  };
}

/** Everything that connections depend on. */
const placeOf = (upstream: Upstream): string =>
  JSON.stringify([
    upstream.name,
    new URL(upstream.base_url).origin,
    upstream.allow_private_addresses,
    upstream.connect_timeout_ms,
    upstream.first_byte_timeout_ms,
    upstream.idle_timeout_ms,
  ]);

const connect = (upstream: Upstream): Pool =>
  new Pool(new URL(upstream.base_url).origin, {
    connect: upstreamConnector(
      { allowPrivate: upstream.allow_private_addresses },
      { timeout: upstream.connect_timeout_ms },
    ),
    headersTimeout: upstream.first_byte_timeout_ms,
    bodyTimeout: upstream.idle_timeout_ms,
    pipelining: 1,
    connections: null,
  });

function clientOf(upstream: Upstream, pool: Pool, keys: Buffer | Keyring, auths: AuthKeeper): UpstreamClient {
  const open = (
    name: string | null,
    secret: string | null,
    { weight, limits }: Pick<OpenCredential, 'weight' | 'limits'>,
  ): OpenCredential => ({
    name,
    secret,
    auth: auths.find({ upstream, secret }),
    weight,
    limits,
    place: placeId(upstream.name, name),
    targetId: targetId(upstream.name, secret),
  });
  const credentials = upstream.credentials.map((each) => open(each.name, unseal(each.sealed, keys), each));
  return {
    upstream,
    origin: new URL(upstream.base_url).origin,
    credentials: credentials.length > 0 ? credentials : [open(null, null, { weight: 1, limits: {} })],
    pool,
    setHeaders: Object.fromEntries(
      Object.entries(upstream.set_headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}
