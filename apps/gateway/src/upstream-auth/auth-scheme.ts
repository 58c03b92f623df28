import type { Upstream } from '@tollgate/catalogue';
import type { Protocol } from '@tollgate/vocabulary';

/** A request to an upstream as it will leave: nothing of it changes any more but its headers. */
interface UnsignedRequest {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly protocol: Protocol;
  /** Made for this request alone; names in lower case. */
  readonly headers: Record<string, string>;
  /** Undefined of a GET. */
  readonly body: Buffer | undefined;
}

/** Proves to an upstream who asks. Made once for each credential of a snapshot, so that it may keep what it derives. */
export interface UpstreamAuth {
  /**
   * The headers of the request with the proof in them: the given ones, added to, or others. It comes last, because schemes
   * that sign a request need its body and all of its other headers.
   */
  applyAuth(request: UnsignedRequest): Record<string, string> | Promise<Record<string, string>>;
}

interface AuthOptions {
  readonly upstream: Upstream;
  /** Null where the upstream wants no credential. */
  readonly secret: string | null;
}

/** One way of authentication that upstreams know; each is a file of this folder and a line in its registry. */
export type AuthScheme = (options: AuthOptions) => UpstreamAuth;
