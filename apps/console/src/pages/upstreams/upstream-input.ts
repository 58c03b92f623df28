import type { Upstream } from '../../api/catalogue.ts';
import type { CredentialInput, UpstreamInput } from '../../api/upstreams.ts';

/** An upstream as it is written back when nothing of its credentials changes. */
export const toUpstreamInput = ({ credentials: _kept, ...upstream }: Upstream): UpstreamInput => upstream;

/** Credentials as they are written back when their secrets stay. */
export const toCredentialInputs = ({ credentials }: Upstream): readonly CredentialInput[] =>
  credentials.map(({ name, weight, limits }) => ({ name, weight, limits }));
