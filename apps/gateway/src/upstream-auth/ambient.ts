import { listAddresses } from '@tollgate/catalogue';
import { UpstreamAuthError, type AuthOptions } from './auth-scheme.ts';

/**
 * The identity of the gateway itself is not the secret of whoever writes the catalogue: what it proves goes to hosts that
 * the deployment names, by themselves those of its clouds, and nowhere else.
 *
 * @throws UpstreamAuthError
 */
export function requireAmbientHost(url: string, { ambientHosts }: Pick<AuthOptions, 'ambientHosts'>): void {
  const { hostname } = new URL(url);
  const isNamed = ambientHosts.some((named) =>
    named.startsWith('.') ? hostname.endsWith(named) : hostname === named,
  );
  if (isNamed) return;
  throw new UpstreamAuthError(
    `The gateway's own identity is not shown to "${hostname}": AMBIENT_IDENTITY_HOSTS does not name it.`,
    true,
  );
}

/** The same of every host that an upstream has its requests sent to. @throws UpstreamAuthError */
export const requireAmbientUpstream = ({ upstream, ambientHosts }: AuthOptions): void =>
  listAddresses(upstream).forEach((url) => requireAmbientHost(url, { ambientHosts }));
