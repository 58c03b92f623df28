import { addDefaultHeaders, parseJson } from '@tollgate/protocols';
import { readWhole } from '../forward/body.ts';
import { HOPS_HEADER } from '../forward/hops.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import { sendWithProof } from '../upstream-auth/send-with-proof.ts';
import { findUpstreamTarget } from '../upstreams/upstream-target.ts';
import type { JobPlace } from './jobs-client.ts';

/** What an upstream says of an answer that it keeps. */
export interface UpstreamSays {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Undefined where it is no JSON. */
  readonly json: unknown;
}

export type KeptAnswerAction = 'show' | 'cancel' | 'delete';
type Place = RoutingTable['targets'][number];

/** An upstream's word on a job is short work for it. */
const TIMEOUT_MS = 15_000;
const METHODS = { show: 'GET', cancel: 'POST', delete: 'DELETE' } as const;

/** The credential that a job runs under; undefined where the catalogue has it no more. */
export const findPlace = (table: RoutingTable | undefined, place: string): Place | undefined =>
  table?.targets.find(({ credential }) => credential.place === place);

/** Asks the upstream that keeps an answer. @throws when it cannot be reached, or says more than `limitBytes`. */
export async function askUpstream(
  { client, credential }: Place,
  { response_id: responseId }: JobPlace,
  action: KeptAnswerAction,
  options: { readonly limitBytes: number; readonly hops?: string; readonly query?: string },
): Promise<UpstreamSays> {
  const { upstream, origin, setHeaders } = client;
  const suffix = action === 'cancel' ? '/cancel' : '';
  const protocol = 'openai-responses';
  const target = findUpstreamTarget(upstream, { protocol, action: 'generate', query: options.query ?? '' });
  const [path = '', query] = target.split('?');
  const request = {
    method: METHODS[action],
    origin,
    path: `${path}/${encodeURIComponent(responseId)}${suffix}${query === undefined ? '' : `?${query}`}`,
  };
  const body = action === 'cancel' ? Buffer.from('{}') : undefined;
  const headers = Object.assign(
    addDefaultHeaders(protocol, {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(body && { 'content-type': 'application/json' }),
    }),
    setHeaders,
    options.hops === undefined ? {} : { [HOPS_HEADER]: options.hops },
  );
  const answer = await sendWithProof(
    { client, credential },
    { ...request, protocol, headers, body },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  const bytes = await readWhole(answer.body, options.limitBytes);
  const { statusCode: status, headers: answered } = answer;
  return { status, headers: answered, body: bytes, json: parseJson(bytes.toString('utf8')) };
}
