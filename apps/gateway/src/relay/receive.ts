import type { KeyRecord } from '@tollgate/contracts';
import {
  decodeRequest,
  findTaskClient,
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
import { isMultipart, readUpload } from '../upload/read-upload.ts';
import { toFormJson, type Upload } from '../upload/upload.ts';

type Received =
  | { readonly ok: true; readonly summary: RequestSummary; readonly payload: Payload }
  | { readonly ok: false; readonly error: RelayError }
  | { readonly ok: 'gone' };

type ReceiveDependencies = AdmissionDependencies &
  Pick<RelayDependencies, 'bodyMemory' | 'uploads' | 'limits'>;

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
  const disk = deps.uploads.disk.lease(key.key_id);
  let isKept = false;
  try {
    const received = await readAndDecode(deps, request, key, { lease, disk });
    isKept = received.ok === true;
    return received;
  } finally {
    if (!isKept) {
      lease.release();
      disk.release();
    }
  }
}

interface Leases {
  readonly lease: BodyLease;
  /** For a form. */
  readonly disk: BodyLease;
}

async function readAndDecode(
  deps: ReceiveDependencies,
  request: RelayRequest,
  key: KeyRecord,
  { lease, disk }: Leases,
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
  const read = await readFormOrBody(deps, request, { take, disk });
  if (read.ok !== true) return read;
  const decoding = lease.isLarge
    ? decodeInTurns(limits, request, read.body, lease)
    : decode(limits, request, read.body);
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  if (!decoded.ok) {
    read.upload?.[Symbol.dispose]();
    return decoded;
  }
  const { values, json, bytes, summary } = decoded;
  return { ok: true, summary, payload: createPayload(bytes, json, { lease, values, upload: read.upload }) };
}

type Read =
  | { readonly ok: true; readonly body: Buffer; readonly upload?: Upload }
  | Exclude<Received, { ok: true }>;

/** A form is read where the operation takes one. */
function readFormOrBody(deps: ReceiveDependencies, request: RelayRequest, room: Room): Read | Promise<Read> {
  const { incoming, task } = request;
  const takes = task ? findTaskClient(task).form : undefined;
  const isBody =
    takes === undefined || (takes === 'allowed' && !isMultipart(incoming.headers['content-type']));
  return isBody ? readBody(incoming, deps.limits, room.take) : readForm(deps, request, room);
}

interface Room {
  readonly take: (bytes: number) => RelayError | undefined;
  readonly disk: BodyLease;
}

/** The JSON of a form stands for it until it leaves. */
async function readForm(
  { limits, uploads }: ReceiveDependencies,
  { incoming, task }: RelayRequest,
  { take, disk }: Room,
): Promise<Read> {
  if (!isMultipart(incoming.headers['content-type'])) return { ok: false, error: NO_FORM };
  const uploadLimitBytes = (task && limits.uploadLimits[task.task]) ?? limits.uploadLimitBytes;
  const read = await readUpload(
    incoming,
    { ...limits, uploadLimitBytes },
    { directory: uploads.directory, disk, take },
  );
  if (read.ok !== true) return read;
  const { upload } = read;
  const kept: Upload = {
    ...upload,
    [Symbol.dispose]() {
      upload[Symbol.dispose]();
      disk.release();
    },
  };
  return { ok: true, body: Buffer.from(JSON.stringify(toFormJson(upload.parts))), upload: kept };
}

const NO_FORM = relayError('invalid_request', 'The body must be a form; send multipart/form-data.', {
  param: 'content-type',
});

function decode({ bodyValues }: ReceiveDependencies['limits'], request: RelayRequest, body: Buffer) {
  const survey = surveyJson(body, bodyValues);
  return survey.tooMany ? refuseValues(bodyValues) : decodeSurveyed(request, body, survey);
}

/** Each of the steps may take a tenth of a second for a large body. */
async function decodeInTurns(
  { bodyValues }: ReceiveDependencies['limits'],
  request: RelayRequest,
  body: Buffer,
  lease: BodyLease,
) {
  await ownTurn();
  const survey = surveyJson(body, bodyValues);
  if (survey.tooMany) return refuseValues(bodyValues);
  const full = lease.take(parsedBytes(body.length, survey.values));
  if (full) return { ok: false, error: full } as const;
  await ownTurn();
  const decoded = decodeSurveyed(request, body, survey);
  await ownTurn();
  return decoded;
}

function decodeSurveyed(
  { protocol, pathModel, action, task }: RelayRequest,
  body: Buffer,
  survey: ReturnType<typeof surveyJson>,
) {
  const decoded = decodeRequest(protocol, body, { pathModel, action, task, survey });
  if (!decoded.ok) return decoded;
  const { request: summary, body: json, bytes } = decoded;
  return { ok: true, summary, json, bytes, values: survey.values } as const;
}

const refuseValues = (maxValues: number) =>
  ({
    ok: false,
    error: relayError(
      'payload_too_large',
      `The request body holds more than the ${maxValues} JSON values that are accepted.`,
    ),
  }) as const;

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
