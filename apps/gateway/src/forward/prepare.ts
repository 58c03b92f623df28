import {
  adaptFields,
  addDefaultHeaders,
  bindRequest,
  bindStates,
  type BoundRequest,
  changeBodyFields,
  CODECS,
  convertRequest,
  createAnswerWrapper,
  encodeUpstreamBody,
  findWrapping,
  holdsMark,
  type JsonObject,
  overrideBodyFields,
  type StateWrapper,
  type UpstreamAction,
  withoutStates,
  type WrapAnswer,
} from '@tollgate/protocols';
import type { Candidate } from '../route/candidates.ts';
import { findPath } from './find-path.ts';
import { toAccepted, convertedHeaders, upstreamHeaders, upstreamQuery } from './headers.ts';
import { HOPS_HEADER } from './hops.ts';
import { limitedFor } from './limited-output.ts';
import type { OutgoingRequest, Prepared } from './outgoing-request.ts';
import { prepareTask } from './prepare-task.ts';
import { findRefusedTool } from './refused-tools.ts';

/**
 * Prepares the request for one candidate. The body stays untouched where the candidate speaks the caller's format, else it is
 * converted; headers and fields that the operator set for the upstream replace the caller's.
 */
export function prepare(candidate: Candidate, request: OutgoingRequest): Prepared {
  const prepared = prepareBody(candidate, request);
  const tool = prepared.ok ? findRefusedTool(request.protocol, request.payload.json, candidate) : undefined;
  // Whoever asks for the values of a large body behind this has it parsed again, and held uncounted.
  request.payload.used();
  if (!prepared.ok) return prepared;
  if (tool) return { ok: false, error: tool };
  const { upstream, setHeaders } = candidate.client;
  const headers = Object.assign(addDefaultHeaders(candidate.protocol, prepared.headers), setHeaders);
  const override = (each: Buffer) => overrideBodyFields(each, upstream.set_parameters);
  const body = override(prepared.body);
  const further = prepared.further.length === 0 ? prepared.further : prepared.further.map(override);
  const wrapping = candidate.task ? undefined : findWrapping(upstream.wrapping, candidate.protocol);
  const wrapped = wrapping?.wrap(
    { headers, body },
    { model: candidate.upstreamModel, action: actionOf(request) },
  );
  const sent = { ...prepared, headers, body, further, ...wrapped };
  sent.headers[HOPS_HEADER] = request.hops;
  if (prepared.form) {
    sent.headers['content-type'] = prepared.form.contentType;
    sent.headers['content-length'] = String(prepared.form.length);
  }
  const dropped = [...(request.dropped ?? []), ...prepared.dropped, ...(wrapped?.dropped ?? [])];
  return { ...sent, dropped };
}

function prepareBody(candidate: Candidate, request: OutgoingRequest): Prepared {
  if (candidate.task) return prepareTask(candidate, candidate.task, request);
  return candidate.protocol === request.protocol
    ? asItCame(candidate, request)
    : converted(candidate, request);
}

/** What is asked for, whatever the format's path says of it. */
const actionOf = ({ action, stream }: OutgoingRequest): UpstreamAction =>
  action === 'count' ? action : stream ? 'stream' : 'generate';

function asItCame(candidate: Candidate, request: OutgoingRequest): Prepared {
  const { protocol, action, namedModel } = request;
  const mapped = candidate.upstreamModel === namedModel ? {} : { model: candidate.upstreamModel };
  const usage = request.stream && !request.includeUsage ? { includeUsage: true } : {};
  const stored = request.stored?.changesAt(candidate.credential.place, () => request.payload.json) ?? {};
  const { changes, limited } = limitedFor(candidate, request);
  const bound = boundReasoning(candidate, request, { ...stored, ...changes });
  const edited = { ...stored, ...changes, ...bound.changes };
  const adapted = adaptedFor(candidate, request, edited);
  if (!adapted.ok) return adapted;
  return {
    ok: true,
    path: findPath(candidate, action, request.stream, upstreamQuery(protocol, request.query)),
    headers: upstreamHeaders(protocol, request.headers, request.passHeaders, toAccepted(request)),
    body: encodeUpstreamBody(
      protocol,
      changeBodyFields(request.payload.bytes, { ...edited, ...adapted.changes }),
      {
        ...mapped,
        ...usage,
      },
    ),
    further: [],
    plan: undefined,
    dropped: bound.dropped ? [...adapted.dropped, REASONING] : adapted.dropped,
    emulated: [...limited, ...adapted.emulated],
    wrap: wrapperFor(candidate, request),
  };
}

const AS_IT_IS = { ok: true, changes: {}, dropped: [], emulated: [] } as const;

/** Most upstreams take the whole of their format, and their requests need not be looked through. */
function adaptedFor({ client }: Candidate, request: OutgoingRequest, changes: JsonObject) {
  const { protocol, payload, model, strict } = request;
  const dialect = client.upstream.dialects?.[protocol];
  if (dialect === undefined) return AS_IT_IS;
  return adaptFields({ protocol, model, strict, body: { ...payload.json, ...changes } }, dialect);
}

/** How what was left out of the reasoning is called. */
const REASONING = 'reasoning_state';

/** Of the reasoning that the request brings back, what this candidate can read. Most requests need not be looked through. */
function boundReasoning(
  { credential, upstreamModel }: Candidate,
  request: OutgoingRequest,
  changes: JsonObject,
): BoundRequest {
  const { protocol, payload, reasoning, withoutReasoning: dropsAll = false } = request;
  const isMarked = holdsMark(payload.bytes, CODECS[protocol].states.mark);
  if (!isMarked && !dropsAll && !reasoning?.places.length) return { changes: {}, dropped: false };
  return bindRequest({ ...payload.json, ...changes }, request.states, {
    protocol,
    place: credential.place,
    upstreamModel,
    placeOf: reasoning?.placeOf ?? (() => undefined),
    dropsAll,
  });
}

/** Wraps the reasoning of the answer with the place that made it, and opens what this place can read. */
function statesAt({ credential }: Candidate, { states, withoutReasoning }: OutgoingRequest): StateWrapper {
  const bound = bindStates(states, credential.place);
  return withoutReasoning ? withoutStates(bound) : bound;
}

/** Ids are wrapped where the answer to what is sent may name something that stays. */
function wrapperFor({ client, credential }: Candidate, request: OutgoingRequest): WrapAnswer | undefined {
  const { protocol, payload, storedIds, accountId } = request;
  const { set_parameters: set } = client.upstream;
  if (!CODECS[protocol].stored.gives({ ...payload.json, ...set })) return undefined;
  return createAnswerWrapper(protocol, storedIds, { account: accountId, place: credential.place });
}

function converted(candidate: Candidate, request: OutgoingRequest): Prepared {
  const conversion = convertRequest({
    from: request.protocol,
    to: candidate.protocol,
    body: request.payload.json,
    count: request.action === 'count',
    stream: request.stream,
    framing: request.framing,
    includeUsage: request.includeUsage,
    model: request.model,
    upstreamModel: candidate.upstreamModel,
    dialect: candidate.dialect,
    defaultMaxTokens: request.defaultMaxTokens,
    states: statesAt(candidate, request),
    strict: request.strict,
    keeping: request.keeping,
  });
  if (!conversion.ok) return conversion;
  const { action, body, plan, dropped, emulated } = conversion;
  const { streamRequest } = CODECS[candidate.protocol];
  const query = request.stream && action === streamRequest.action ? streamRequest.query : '';
  return {
    ok: true,
    path: findPath(candidate, action, request.stream, query),
    headers: convertedHeaders(request.headers, request.passHeaders, toAccepted(request)),
    body,
    further: [],
    plan,
    dropped: request.withoutReasoning ? [...dropped, REASONING] : dropped,
    emulated,
    wrap: undefined,
  };
}
