import type { KeyRecord } from '@tollgate/contracts';
import {
  decodeRequest,
  relayError,
  type RelayError,
  type RequestSummary,
  surveyJson,
} from '@tollgate/protocols';
import { type AdmissionDependencies, lookAtCredit } from '../admit/admit.ts';
import { type BodyLease, SMALL_BODY_BYTES } from '../body/body-memory.ts';
import type { RelayDependencies, RelayRequest } from './relay-request.ts';
import { createPayload, parsedBytes, type Payload } from '../body/payload.ts';
import { readBody } from '../body/read-body.ts';

type Received =
  | { readonly ok: true; readonly summary: RequestSummary; readonly payload: Payload }
  | { readonly ok: false; readonly error: RelayError }
  | { readonly ok: 'gone' };

type ReceiveDependencies = AdmissionDependencies & Pick<RelayDependencies, 'bodyMemory' | 'limits'>;

/**
 * Reads the request's body and checks it against the interface. A large body is read only while there is memory for it, and
 * only when its key may send something at all.
 */
export async function receive(
  deps: ReceiveDependencies,
  request: RelayRequest,
  key: KeyRecord,
): Promise<Received> {
  const lease = deps.bodyMemory.lease(key.key_id);
  let isKept = false;
  try {
    const received = await readAndDecode(deps, request, key, lease);
    isKept = received.ok === true;
    return received;
  } finally {
    if (!isKept) lease.release();
  }
}

async function readAndDecode(
  deps: ReceiveDependencies,
  request: RelayRequest,
  key: KeyRecord,
  lease: BodyLease,
): Promise<Received> {
  const { limits, refusals } = deps;
  if (request.action !== 'count' && mayBeLarge(request.incoming)) {
    const { requestId } = request;
    const error =
      refusals.find(key.key_id) ?? (await lookAtCredit(deps, { key, requestId, arrivedAt: Date.now() }));
    if (error) return { ok: false, error };
    if (request.incoming.destroyed) return { ok: 'gone' };
  }
  const take = (bytes: number) =>
    (lease.isLarge ? undefined : refusals.find(key.key_id)) ?? lease.take(bytes);
  const read = await readBody(request.incoming, limits, take);
  if (read.ok !== true) return read;
  const bytes = read.body;
  // Each of these steps may take a tenth of a second for a large body.
  if (lease.isLarge) await ownTurn();
  const survey = surveyJson(bytes, limits.bodyValues);
  if (survey.tooMany) {
    const message = `The request body holds more than the ${limits.bodyValues} JSON values that are accepted.`;
    return { ok: false, error: relayError('payload_too_large', message) };
  }
  const { values } = survey;
  const full = lease.isLarge ? lease.take(parsedBytes(bytes.length, values)) : undefined;
  if (full) return { ok: false, error: full };
  if (lease.isLarge) await ownTurn();
  const { protocol, pathModel, action, task } = request;
  const decoded = decodeRequest(protocol, bytes, pathModel, action, survey, task);
  if (!decoded.ok) return decoded;
  if (lease.isLarge) await ownTurn();
  return {
    ok: true,
    summary: decoded.request,
    payload: createPayload(decoded.bytes, decoded.body, { lease, values }),
  };
}

/** Says that it is large, or does not say that it is small. */
function mayBeLarge({ headers }: RelayRequest['incoming']): boolean {
  const { 'content-length': length, 'content-encoding': coding } = headers;
  return coding !== undefined || length === undefined || Number(length) > SMALL_BODY_BYTES;
}

let last: Promise<void> = Promise.resolve();

/**
 * A turn of the event loop of its own: large bodies that are here at the same moment are worked on in as many turns, so
 * that whoever else waits is served between them.
 */
function ownTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
