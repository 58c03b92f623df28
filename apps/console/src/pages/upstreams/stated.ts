import type { Upstream } from '../../api/catalogue.ts';
import type { StatedCredential, StatedUpstream } from '../../api/upstreams.ts';

/** An upstream as it is written back when nothing of its credentials changes. */
export const statedUpstream = ({ credentials: _kept, ...upstream }: Upstream): StatedUpstream => upstream;

/** Credentials as they are written back when their secrets stay. */
export const statedCredentials = ({ credentials }: Upstream): readonly StatedCredential[] =>
  credentials.map(({ name, weight, limits }) => ({ name, weight, limits }));
