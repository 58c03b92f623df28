import { AMBIENT, type Upstream } from '@tollgate/catalogue';
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

const ASKED = 'is held and billed by what callers ask for; sell it as a feature of the model';
const SHARED = 'would show all callers, and have them pay for, what is kept of others';
const CONTENT = "is the caller's own, and what is held is worked out from it";

/** What would make requests other than the ones that were held for; to take such a field away breaks nothing. */
const UNHELD_PARAMETERS: Readonly<Record<string, string>> = {
  background: `would make answers go on after requests that nobody looks after: it ${ASKED}`,
  tools: ASKED,
  web_search_options: ASKED,
  search_parameters: ASKED,
  plugins: ASKED,
  mcp_servers: ASKED,
  container: ASKED,
  models: 'would have other models answer than the one that is billed',
  conversation: SHARED,
  previous_response_id: SHARED,
  cachedContent: SHARED,
  prompt: CONTENT,
  messages: CONTENT,
  input: CONTENT,
  contents: CONTENT,
};

/** What an upstream says of itself that cannot be meant. */
export function upstreamFaults(upstream: Upstream): string[] {
  const place = `upstreams.${upstream.name}`;
  const faults = [...addressFaults(upstream, place), ...accessFaults(upstream, place)];
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
  for (const [name, value] of Object.entries(upstream.set_parameters)) {
    const why = Object.hasOwn(UNHELD_PARAMETERS, name) ? UNHELD_PARAMETERS[name] : undefined;
    if (why !== undefined && value !== null && value !== false)
      faults.push(`${place}.set_parameters: "${name}" ${why}`);
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

function accessFaults(
  { auth, protocols, paths, wrapping, dialects, credentials, allow_private_addresses }: Upstream,
  place: string,
): string[] {
  const faults: string[] = [];
  const spoken = new Set<string>(protocols);
  for (const [field, formats] of Object.entries({ paths, wrapping, dialects })) {
    for (const format of Object.keys(formats ?? {}).filter((each) => !spoken.has(each)))
      faults.push(`${place}.${field}: "${format}" is none of its protocols`);
  }
  if (auth?.kind === 'static' && OWN_HEADERS.has(auth.header.toLowerCase()))
    faults.push(`${place}.auth.header: "${auth.header}" is set by the gateway`);
  if (auth !== undefined && credentials.length === 0) {
    const ambient = auth.kind === 'static' ? '' : `; its secret may be the word ${AMBIENT}`;
    faults.push(`${place}.credentials: the auth "${auth.kind}" needs a credential${ambient}`);
  }
  if (auth?.kind === 'aws' && auth.external_id !== undefined && auth.role_arn === undefined)
    faults.push(`${place}.auth.external_id: says who assumes a role, but auth.role_arn names none`);
  if (auth?.kind === 'azure' && auth.authority !== undefined)
    faults.push(...hostFaults(auth.authority, allow_private_addresses, `${place}.auth.authority`));
  return faults;
}

const addressFaults = (
  { base_url, model_lists = [], allow_private_addresses }: Upstream,
  place: string,
): string[] => [
  ...hostFaults(base_url, allow_private_addresses, `${place}.base_url`),
  ...model_lists.flatMap((url) => hostFaults(url, allow_private_addresses, `${place}.model_lists`)),
];

/** A name is looked at when it is connected to: what it resolves to now says nothing about then. */
function hostFaults(url: string, allowPrivate: boolean, place: string): string[] {
  try {
    assertPublicHost(new URL(url).hostname, { allowPrivate });
    return [];
  } catch (error) {
    if (!(error instanceof UpstreamAddressError)) throw error;
    const advice = allowPrivate ? '' : '; private ones need allow_private_addresses';
    return [`${place}: ${error.message}${advice}`];
  }
}
