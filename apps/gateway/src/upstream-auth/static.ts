import { CODECS } from '@tollgate/protocols';
import type { AuthScheme } from './auth-scheme.ts';

/** The credential as it is, in the header that the upstream states, or in which the format's own clients send it. */
export const createStaticAuth: AuthScheme = ({ upstream: { auth }, secret }) => {
  const stated =
    auth?.kind === 'static' ? { name: auth.header.toLowerCase(), prefix: auth.prefix ?? '' } : undefined;
  return {
    applyAuth({ protocol, headers }) {
      const { name, prefix } = stated ?? CODECS[protocol].keyHeader;
      if (secret !== null) headers[name] = prefix + secret;
      return headers;
    },
  };
};
