// By itself: undici takes a tenth of a start to load, and most services connect to no upstream.
import { lookup as resolveName, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import {
  type AddressPolicy,
  assertPublic,
  assertPublicHost,
  UpstreamAddressError,
} from './upstream-address.ts';

type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for `net.connect`, `tls.connect` and undici that hands on only addresses that it has checked: there is no
 * second resolution between the check and the connection that could say something else. Node does not call it for a
 * host that is an address: use {@link upstreamConnector}, or {@link assertPublicHost} besides.
 */
export function upstreamLookup(policy: AddressPolicy = {}, resolve: Resolve = resolveName): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [chosen] = addresses ?? [];
      if (error) return callback(error, []);
      if (!chosen) return callback(new UpstreamAddressError(host, 'invalid'), []);
      try {
        assertPublic(
          host,
          addresses.map(({ address }) => address),
          policy,
        );
      } catch (refusal) {
        return callback(refusal instanceof Error ? refusal : new Error(String(refusal)), []);
      }
      if (options.all) callback(null, addresses);
      else callback(null, chosen.address, chosen.family);
    });
  };
}

/** For the `connect` option of undici's pools: refuses forbidden addresses, whether they are written out or resolved. */
export function upstreamConnector(
  policy: AddressPolicy = {},
  options: Omit<buildConnector.BuildOptions, 'lookup' | 'socketPath'> = {},
  resolve: Resolve = resolveName,
): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: upstreamLookup(policy, resolve) });
  return (target, callback) => {
    try {
      assertPublicHost(target.hostname, policy);
    } catch (refusal) {
      callback(refusal instanceof Error ? refusal : new Error(String(refusal)), null);
      return;
    }
    connect(target, callback);
  };
}
