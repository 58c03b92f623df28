import type { Upstream } from '@tollgate/contracts';
import { unseal } from '@tollgate/platform';
import { Pool } from 'undici';

/** An upstream as the gateway uses it: an open connection pool and its credential in clear. */
export interface UpstreamClient {
  readonly upstream: Upstream;
  readonly credential: string | null;
  readonly pool: Pool;
}

export interface UpstreamClients {
  /** Opens clients for new upstreams, keeps those that did not change, closes the rest when they are idle. */
  update(upstreams: readonly Upstream[]): Map<string, UpstreamClient>;
  close(): Promise<void>;
}

export function createUpstreamClients(sealKey: Buffer): UpstreamClients {
  let open = new Map<string, UpstreamClient>();
  return {
    update(upstreams) {
      const kept = new Map<string, UpstreamClient>();
      for (const upstream of upstreams) {
        const identity = JSON.stringify(upstream);
        kept.set(identity, open.get(identity) ?? openClient(upstream, sealKey));
      }
      for (const [identity, client] of open) {
        // `close` lets requests in flight finish; nothing waits for them here.
        if (!kept.has(identity)) void client.pool.close();
      }
      open = kept;
      return new Map([...kept.values()].map((client) => [client.upstream.name, client]));
    },
    async close() {
      await Promise.all([...open.values()].map(({ pool }) => pool.destroy()));
      open = new Map();
    },
  };
}

function openClient(upstream: Upstream, sealKey: Buffer): UpstreamClient {
  return {
    upstream,
    credential: upstream.sealed_credential === null ? null : unseal(upstream.sealed_credential, sealKey),
    pool: new Pool(new URL(upstream.base_url).origin, {
      connect: { timeout: upstream.connect_timeout_ms },
      headersTimeout: upstream.first_byte_timeout_ms,
      bodyTimeout: upstream.idle_timeout_ms,
      pipelining: 1,
      connections: null,
    }),
  };
}
