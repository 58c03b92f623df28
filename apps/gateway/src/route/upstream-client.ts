import type { RateLimit, Upstream } from '@tollgate/catalogue';
import type { Pool } from 'undici';
import type { UpstreamAuth } from '../upstream-auth/auth-scheme.ts';

/** One of an upstream's credentials, in clear. */
export interface OpenCredential {
  /** Null of the only entry of an upstream that wants no credential. */
  readonly name: string | null;
  readonly secret: string | null;
  /** Shows it to the upstream. */
  readonly auth: UpstreamAuth;
  readonly weight: number;
  readonly limits: RateLimit;
  /** What is kept at its vendor is found here alone; a new secret under the same name keeps it. */
  readonly place: string;
  /** What health is kept under. */
  readonly targetId: string;
}

/** An upstream as the gateway uses it: an open connection pool and its credentials. */
export interface UpstreamClient {
  readonly upstream: Upstream;
  /** Of its base address. */
  readonly origin: string;
  /** At least one. */
  readonly credentials: readonly OpenCredential[];
  readonly pool: Pool;
  /** What is sent in place of the caller's headers; names in lower case. */
  readonly setHeaders: Readonly<Record<string, string>>;
}

export interface UpstreamClients {
  /** Connects to new upstreams, keeps the connections of those that did not move, closes the rest when they are idle. */
  update(upstreams: readonly Upstream[]): Map<string, UpstreamClient>;
  /** Connects to an upstream that is in no snapshot; whoever asks for it closes it. */
  openApart(upstream: Upstream): UpstreamClient;
  close(): Promise<void>;
}
