import type { Upstream } from '@tollgate/catalogue';
import { assertPublicHost, UpstreamAddressError } from '@tollgate/platform';

/** What frames a request, or names the connection: the gateway's own. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'x-tollgate-hops',
]);

/** What decides where a request goes, how its answer comes, and how many answers are paid for. */
const OWN_PARAMETERS = new Set(['model', 'stream', 'stream_options', 'n', 'best_of', 'num_return_sequences']);

/** What an upstream says of itself that cannot be meant. */
export function upstreamFaults(upstream: Upstream): string[] {
  const place = `upstreams.${upstream.name}`;
  const faults = addressFaults(upstream, place);
  const seen = new Set<string>();
  for (const { name } of upstream.credentials) {
    if (seen.has(name)) faults.push(`${place}.credentials: "${name}" stands there twice`);
    seen.add(name);
  }
  for (const name of Object.keys(upstream.set_headers)) {
    if (OWN_HEADERS.has(name.toLowerCase())) {
      faults.push(`${place}.set_headers: "${name}" is set by the gateway`);
    }
  }
  for (const name of Object.keys(upstream.set_parameters)) {
    if (OWN_PARAMETERS.has(name)) faults.push(`${place}.set_parameters: "${name}" is set by the gateway`);
  }
  const generation = upstream.set_parameters['generationConfig'];
  for (const name of ['candidateCount', 'candidate_count']) {
    if (generation !== null && typeof generation === 'object' && name in generation)
      faults.push(`${place}.set_parameters: "generationConfig.${name}" is left to the caller`);
  }
  // Beside the caller's own, in the other spelling, it would be read by Google and held for by nobody.
  if ('generation_config' in upstream.set_parameters)
    faults.push(`${place}.set_parameters: "generation_config" is written generationConfig`);
  return faults;
}

/** A name is looked at when it is connected to: what it resolves to now says nothing about then. */
function addressFaults({ base_url, allow_private_addresses }: Upstream, place: string): string[] {
  try {
    assertPublicHost(new URL(base_url).hostname, { allowPrivate: allow_private_addresses });
    return [];
  } catch (error) {
    if (!(error instanceof UpstreamAddressError)) throw error;
    const advice = allow_private_addresses ? '' : '; private ones need allow_private_addresses';
    return [`${place}.base_url: ${error.message}${advice}`];
  }
}
