import type { Readable } from 'node:stream';
import { addDefaultHeaders, parseJson } from '@tollgate/protocols';
import type { Dispatcher } from 'undici';
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
  place: Place,
  job: JobPlace,
  action: KeptAnswerAction,
  options: { readonly limitBytes: number; readonly hops?: string; readonly query?: string },
): Promise<UpstreamSays> {
  const answer = await send(
    place,
    job,
    { ...options, action, accept: 'application/json' },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  return readSaid(answer, options.limitBytes);
}

/**
 * Asks the upstream for the rest of a stream.
 *
 * @returns what it says instead where it streams nothing.
 * @throws when it cannot be reached.
 */
export async function openStream(
  place: Place,
  job: JobPlace,
  options: { readonly limitBytes: number; readonly hops: string; readonly query: string },
): Promise<Readable | UpstreamSays> {
  const begins = new AbortController();
  const timer = setTimeout(() => begins.abort(), TIMEOUT_MS);
  const asked = { ...options, action: 'show', accept: 'text/event-stream' } as const;
  const answer = await send(place, job, asked, begins.signal).finally(() => clearTimeout(timer));
  const isStream = String(answer.headers['content-type'] ?? '').includes('text/event-stream');
  return answer.statusCode < 300 && isStream ? answer.body : readSaid(answer, options.limitBytes);
}

async function send(
  { client, credential }: Place,
  { response_id: responseId }: JobPlace,
  options: {
    readonly action: KeptAnswerAction;
    readonly accept: string;
    readonly hops?: string;
    readonly query?: string;
  },
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { upstream, origin, setHeaders } = client;
  const { action, accept, hops } = options;
  const suffix = action === 'cancel' ? '/cancel' : '';
  const protocol = 'openai-responses';
  const target = findUpstreamTarget(upstream, { protocol, action: 'generate', query: options.query ?? '' });
  const [base = '', query] = target.split('?');
  const path = `${base}/${encodeURIComponent(responseId)}${suffix}${query === undefined ? '' : `?${query}`}`;
  const body = action === 'cancel' ? Buffer.from('{}') : undefined;
  const headers = Object.assign(
    addDefaultHeaders(protocol, {
      accept,
      'accept-encoding': 'identity',
      ...(body && { 'content-type': 'application/json' }),
    }),
    setHeaders,
    hops === undefined ? {} : { [HOPS_HEADER]: hops },
  );
  const request = { method: METHODS[action], origin, path, protocol, headers, body } as const;
  return sendWithProof({ client, credential }, request, signal);
}

async function readSaid(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  limitBytes: number,
): Promise<UpstreamSays> {
  const bytes = await readWhole(body, limitBytes);
  return { status, headers, body: bytes, json: parseJson(bytes.toString('utf8')) };
}
