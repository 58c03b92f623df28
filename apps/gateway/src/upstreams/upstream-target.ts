import type { Upstream } from '@tollgate/catalogue';
import {
  CODECS,
  findTaskUpstream,
  findWrapping,
  joinUpstreamUrl,
  type TaskForm,
  type UpstreamAction,
} from '@tollgate/protocols';
import type { Protocol } from '@tollgate/vocabulary';

interface UpstreamCall {
  readonly protocol: Protocol;
  readonly action: UpstreamAction | 'models' | 'realtime';
  /** In place of a conversation. */
  readonly task?: TaskForm | undefined;
  /** The model's name there; models are listed without. */
  readonly model?: string;
  /** The body asks for a stream, whatever the format's path says. */
  readonly stream?: boolean;
  /** The caller's, without its key. */
  readonly query?: string;
}

type Reached = Pick<Upstream, 'base_url' | 'paths' | 'wrapping'>;

/**
 * Path and query of a call at an upstream: those that it states, else those of the format. What it states in a query stands
 * in place of what the caller says.
 */
export function findUpstreamTarget(upstream: Reached, call: UpstreamCall): string {
  const { base_url, paths, wrapping } = upstream;
  const template = findTemplate(upstream, call);
  const [path = '', fixed = ''] = (template ?? ownPath(upstream, call)).split('?');
  // An upstream that states paths of a format states its whole base address.
  const url = new URL(
    paths?.[call.protocol] === undefined
      ? joinUpstreamUrl(base_url, path)
      : base_url.replace(/\/+$/, '') + fillIn(path, call.model ?? ''),
  );
  // What a caller says in a query is for the vendor alone, and not for a cloud that carries its format.
  const said = findWrapping(wrapping, call.protocol) ? '' : (call.query ?? '');
  for (const query of [said, fixed])
    for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

/**
 * Where an upstream lists its models below its base address; undefined where it does not, as the clouds (see
 * `model_lists` of upstreams): who states paths of a format without this one has none that we know.
 */
export function findModelsTarget(upstream: Reached, protocol: Protocol): string | undefined {
  const stated = upstream.paths?.[protocol];
  const isListed = stated
    ? stated.models !== undefined
    : CODECS[protocol].modelListPath !== undefined && !findWrapping(upstream.wrapping, protocol);
  return isListed ? findUpstreamTarget(upstream, { protocol, action: 'models' }) : undefined;
}

function ownPath(
  { wrapping }: Reached,
  { protocol, action, task, stream, model = '' }: UpstreamCall,
): string {
  if (task) return findTaskUpstream(task).path(model);
  if (action === 'models') return CODECS[protocol].modelListPath ?? '';
  if (action === 'realtime') return '/v1/realtime';
  const wrapped = findWrapping(wrapping, protocol);
  if (!wrapped) return CODECS[protocol].upstreamPath({ model, action });
  return wrapped.path({ model, action: action === 'generate' && stream ? 'stream' : action });
}

function findTemplate(upstream: Reached, call: UpstreamCall): string | undefined {
  const { protocol, action, task } = call;
  const stated = upstream.paths?.[protocol];
  if (task) return stated?.[task.task];
  if (action === 'models' || action === 'count' || action === 'realtime') return stated?.[action];
  if (action === 'generate' && !call.stream) return stated?.generate;
  return stated?.stream ?? (streamsElsewhere(upstream, protocol) ? undefined : stated?.generate);
}

const streamsElsewhere = (upstream: Reached, protocol: Protocol): boolean => {
  const [generate, stream] = (['generate', 'stream'] as const).map((action) =>
    ownPath(upstream, { protocol, model: 'm', action }),
  );
  return generate !== stream;
};

/** Names may hold colons and slashes: a cloud reads the name as one part of the path, encoded once. */
const fillIn = (path: string, model: string): string =>
  path.replaceAll('{model}', () =>
    encodeURIComponent(model).replaceAll(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
