import { addDefaultHeaders, CODECS } from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';

/** What every request to an upstream of this format bears, with the credential `key`. */
export function upstreamHeadersWithKey(protocol: ClientProtocol): Record<string, string> {
  const { name, prefix } = CODECS[protocol].keyHeader;
  return addDefaultHeaders(protocol, { [name]: `${prefix}key` });
}
