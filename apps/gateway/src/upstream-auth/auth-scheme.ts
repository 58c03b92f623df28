import type { Upstream } from '@tollgate/catalogue';
import type { Logger } from '@tollgate/platform';
import type { Protocol } from '@tollgate/vocabulary';

/** A request to an upstream as it will leave: nothing of it changes any more but its headers. */
export interface UnsignedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly protocol: Protocol;
  /** Made for this request alone; names in lower case. */
  readonly headers: Record<string, string>;
  /** Undefined of a GET. */
  readonly body: Buffer | undefined;
  /** What leaves in place of the body, for schemes that sign it. */
  readonly form?: { readonly sha256: () => Promise<string> } | undefined;
}

/** What an upstream answered to a proof. */
export interface AuthRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The headers that were sent. */
  readonly sent: Readonly<Record<string, string>>;
}

/** Proves to an upstream who asks. Kept from snapshot to snapshot as long as nothing changes that it depends on. */
export interface UpstreamAuth {
  /**
   * The headers of the request with the proof in them: the given ones, added to, or others. It comes last, because schemes
   * that sign a request need its body and all of its other headers.
   *
   * @throws UpstreamAuthError where there is nothing to prove it with.
   */
  applyAuth(request: UnsignedRequest): Record<string, string> | Promise<Record<string, string>>;
  /** Whether another proof can be had in place of one that was refused: then the request may be sent once more. */
  renew?(refusal: AuthRefusal): Promise<boolean>;
  /** What it has derived from the secret that nobody may see either. */
  derivedSecrets?(): readonly string[];
}

/** Nothing proves who asks: a token cannot be had, or a secret is none. Says nothing secret. */
export class UpstreamAuthError extends Error {
  override readonly name = 'UpstreamAuthError';

  constructor(
    message: string,
    /** Whoever gives tokens out has answered, and refuses this secret; else it could not be asked. */
    readonly isRefused: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface AuthOptions {
  readonly upstream: Upstream;
  /** Null where the upstream wants no credential. */
  readonly secret: string | null;
  /** Hosts, and ends of hosts that begin with a dot, that may be shown what the gateway's own identity proves. */
  readonly ambientHosts: readonly string[];
  readonly logger: Pick<Logger, 'warn'>;
}

/** One way of authentication that upstreams know; each is a file of this folder and a line in its registry. */
export type AuthScheme = (options: AuthOptions) => UpstreamAuth;
