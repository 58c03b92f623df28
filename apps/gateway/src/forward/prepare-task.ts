import {
  changeBodyFields,
  encodeUpstreamBody,
  findTaskUpstream,
  TASK_CODECS,
  type TaskForm,
} from '@tollgate/protocols';
import type { Candidate } from '../route/candidates.ts';
import { findPath } from './find-path.ts';
import { toAccepted, convertedHeaders, upstreamHeaders } from './headers.ts';
import { limitedFor } from './limited-output.ts';
import type { OutgoingRequest, Prepared } from './outgoing-request.ts';

/** In the format in which the candidate takes the task: another one is converted, and so is what needs several calls. */
export function prepareTask(
  candidate: Candidate,
  { task, format }: TaskForm,
  request: OutgoingRequest,
): Prepared {
  const { protocol, payload, namedModel, stream, includeUsage, headers, passHeaders } = request;
  const accepted = findTaskUpstream({ task, format }).bytes ? '*/*' : toAccepted(request);
  const isSame = format === request.task?.format;
  const converted = TASK_CODECS[task].convert({
    from: request.task?.format ?? format,
    to: format,
    bytes: payload.bytes,
    body: payload.json,
    model: request.model,
    namedModel,
    upstreamModel: candidate.upstreamModel,
    ...(request.pricedUnits ? { pricedUnits: request.pricedUnits } : {}),
    maxInputs: candidate.client.upstream.max_inputs,
    strict: request.strict,
  });
  if (!converted.ok) return converted;
  const set = Object.entries(candidate.client.upstream.set_parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const form = payload.upload?.render({ ...converted.form, ...Object.fromEntries(set) });
  const [body = payload.bytes, ...further] = converted.bodies;
  const asks = stream && !includeUsage && TASK_CODECS[task].streams?.usageOnRequest === true;
  const { changes, limited } = isSame ? limitedFor(candidate, request) : { changes: {}, limited: [] };
  const within = changeBodyFields(body, changes);
  return {
    ok: true,
    path: findPath(candidate, request.action, stream, ''),
    headers: isSame
      ? upstreamHeaders(protocol, headers, passHeaders, accepted)
      : convertedHeaders(headers, passHeaders, accepted),
    body: asks ? encodeUpstreamBody(protocol, within, { includeUsage: true }) : within,
    form,
    further,
    bytesType: converted.bytesType,
    plan: undefined,
    toAnswer: converted.toAnswer,
    dropped: converted.dropped,
    emulated: limited,
    wrap: undefined,
  };
}
