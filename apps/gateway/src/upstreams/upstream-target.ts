import type { Upstream } from '@tollgate/catalogue';
import { CODECS, joinUpstreamUrl, type UpstreamAction } from '@tollgate/protocols';
import type { Protocol } from '@tollgate/vocabulary';

interface Call {
  readonly protocol: Protocol;
  readonly action: UpstreamAction | 'models';
  /** The model's name there; models are listed without. */
  readonly model?: string;
  /** The body asks for a stream, whatever the format's path says. */
  readonly stream?: boolean;
  /** The caller's, without its key. */
  readonly query?: string;
}

/**
 * Path and query of a call at an upstream: those that it states, else those of the format. What it states in a query stands
 * in place of what the caller says.
 */
export function findUpstreamTarget(upstream: Pick<Upstream, 'base_url' | 'paths'>, call: Call): string {
  const { base_url, paths } = upstream;
  const template = findTemplate(upstream, call);
  const [path = '', fixed = ''] = (template ?? ownPath(call)).split('?');
  // An upstream that states paths of a format states its whole base address.
  const url = new URL(
    paths?.[call.protocol] === undefined
      ? joinUpstreamUrl(base_url, path)
      : base_url.replace(/\/+$/, '') + fillIn(path, call.model ?? ''),
  );
  for (const query of [call.query ?? '', fixed])
    for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

const ownPath = ({ protocol, action, model = '' }: Call): string =>
  action === 'models' ? CODECS[protocol].modelListPath : CODECS[protocol].upstreamPath({ model, action });

function findTemplate({ paths }: Pick<Upstream, 'paths'>, call: Call): string | undefined {
  const { protocol, action } = call;
  const stated = paths?.[protocol];
  if (action === 'models' || action === 'count') return stated?.[action];
  if (action === 'generate' && !call.stream) return stated?.generate;
  return stated?.stream ?? (streamsElsewhere(protocol) ? undefined : stated?.generate);
}

const streamsElsewhere = (protocol: Protocol): boolean => {
  const [generate, stream] = (['generate', 'stream'] as const).map((action) =>
    CODECS[protocol].upstreamPath({ model: 'm', action }),
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
