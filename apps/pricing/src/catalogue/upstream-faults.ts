import type { Upstream } from '@tollgate/catalogue';
import { assertPublicHost, UpstreamAddressError } from '@tollgate/platform';
import { type CatalogueFault, findOwn, sayFault } from '@tollgate/vocabulary';

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

/** What would make requests other than the ones that were held for; to take such a field away breaks nothing. */
const UNHELD_PARAMETERS: Readonly<Record<string, CatalogueFault>> = {
  background: 'goes_on_unwatched',
  tools: 'asked_by_callers',
  web_search_options: 'asked_by_callers',
  search_parameters: 'asked_by_callers',
  plugins: 'asked_by_callers',
  mcp_servers: 'asked_by_callers',
  container: 'asked_by_callers',
  models: 'other_models_answer',
  conversation: 'shows_what_is_of_others',
  previous_response_id: 'shows_what_is_of_others',
  cachedContent: 'shows_what_is_of_others',
  prompt: 'content_of_caller',
  messages: 'content_of_caller',
  input: 'content_of_caller',
  contents: 'content_of_caller',
};

/** What an upstream says of itself that cannot be meant. */
export function upstreamFaults(upstream: Upstream): string[] {
  const place = `upstreams.${upstream.name}`;
  const faults = [...addressFaults(upstream, place), ...accessFaults(upstream, place)];
  const seen = new Set<string>();
  for (const { name } of upstream.credentials) {
    if (seen.has(name)) faults.push(sayFault(`${place}.credentials`, 'stands_twice', { name }));
    seen.add(name);
  }
  for (const name of Object.keys(upstream.set_headers)) {
    if (OWN_HEADERS.has(name.toLowerCase())) {
      faults.push(sayFault(`${place}.set_headers`, 'set_by_gateway', { name }));
    }
  }
  for (const name of Object.keys(upstream.set_parameters)) {
    if (OWN_PARAMETERS.has(name))
      faults.push(sayFault(`${place}.set_parameters`, 'set_by_gateway', { name }));
  }
  for (const [name, value] of Object.entries(upstream.set_parameters)) {
    const why = findOwn(UNHELD_PARAMETERS, name);
    if (why !== undefined && value !== null && value !== false)
      faults.push(sayFault(`${place}.set_parameters`, why, { name }));
  }
  const generation = upstream.set_parameters['generationConfig'];
  for (const name of ['candidateCount', 'candidate_count']) {
    if (generation !== null && typeof generation === 'object' && name in generation)
      faults.push(
        sayFault(`${place}.set_parameters`, 'left_to_caller', { name: `generationConfig.${name}` }),
      );
  }
  // Beside the caller's own, in the other spelling, it would be read by Google and held for by nobody.
  if ('generation_config' in upstream.set_parameters)
    faults.push(sayFault(`${place}.set_parameters`, 'written_otherwise'));
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
      faults.push(sayFault(`${place}.${field}`, 'not_its_protocol', { name: format }));
  }
  if (auth?.kind === 'static' && OWN_HEADERS.has(auth.header.toLowerCase()))
    faults.push(sayFault(`${place}.auth.header`, 'set_by_gateway', { name: auth.header }));
  if (auth !== undefined && credentials.length === 0) {
    const fault = auth.kind === 'static' ? 'needs_secret' : 'needs_secret_or_ambient';
    faults.push(sayFault(`${place}.credentials`, fault, { kind: auth.kind }));
  }
  if (auth?.kind === 'aws' && auth.external_id !== undefined && auth.role_arn === undefined)
    faults.push(sayFault(`${place}.auth.external_id`, 'external_id_without_role'));
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
    return [
      allowPrivate
        ? `${place}: ${error.message}`
        : sayFault(place, 'address_not_allowed', { why: error.message }),
    ];
  }
}
