import { CODECS } from '@tollgate/protocols';
import type { AuthScheme } from './auth-scheme.ts';

/** The credential as it is, in the header in which the format's own clients send it. */
export const createStaticAuth: AuthScheme = ({ upstream, secret }) => {
  const setNames = new Set(Object.keys(upstream.set_headers).map((name) => name.toLowerCase()));
  return {
    applyAuth({ protocol, headers }) {
      const { name, prefix } = CODECS[protocol].keyHeader;
      // What an operator sets in this header is sent in place of the credential.
      if (secret !== null && !setNames.has(name)) headers[name] = prefix + secret;
      return headers;
    },
  };
};
