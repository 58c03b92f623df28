import { Readable } from 'node:stream';
import {
  CODECS,
  EVENT_STREAM_TYPE,
  type Failure,
  failureError,
  findAnswerRules,
  findTaskUpstream,
  findWrapping,
  type ReadFrame,
  type StreamFraming,
  type Wrapping,
} from '@tollgate/protocols';
import type { Candidate } from '../route/candidates.ts';
import type { Answer, Answered } from './answer.ts';
import { detectFraming, failureInEvents, looksLikeEvents, readBeginning } from './beginning.ts';
import { readWhole, waitForBytes } from './body.ts';
import type { Exchanged, UpstreamHeaders, BodyHandling } from './exchange.ts';
import type { AttemptFailure } from './failures.ts';
import type { OutgoingRequest, Sendable } from './outgoing-request.ts';
import { findStatusPolicy, isAmbiguous, meansGone, readRefusal, toTrueStatus } from './status-policy.ts';
import { textWithoutSecrets } from './secrets.ts';
import { unframeAnswer } from './unframe-answer.ts';
import { unpackAnswer } from './unpack-answer.ts';

type Framed = Answered & { readonly framing: 'sse' | 'json-array' };

interface ReadOptions {
  readonly answerLimitBytes: number;
  /** When the attempt began, by `performance.now()`. */
  readonly startedAt: number;
  readonly settle: Answered['settle'];
  readonly broke: () => void;
}

/**
 * Reads the beginning of a stream, or a whole answer. An error inside an answer of status 200 counts as a failure with the
 * status that the error names.
 *
 * @returns at once where the answer is there whole. Rejects when it breaks off.
 */
export function readAnswer(
  candidate: Candidate,
  request: OutgoingRequest,
  { plan, toAnswer, bytesType, dropped, emulated, wrap }: Sendable,
  answer: Exclude<Exchanged, { handling: 'nothing' }>,
  options: ReadOptions,
): Answer | AttemptFailure | Promise<Answer | AttemptFailure> {
  const { status, headers } = answer;
  const { startedAt, settle } = options;
  const answered: Answered = {
    candidate,
    request,
    status,
    headers,
    settle,
    waitedMs: 0,
    framing: 'none',
    plan,
    toAnswer,
    bytesType,
    dropped,
    emulated,
    wrap,
  };
  const declared = status < 300 ? findDeclaredFraming(candidate, headers, request.stream) : 'none';
  if (answer.handling === 'whole') return readWholeAnswer(answer.body, declared, answered, startedAt);
  const body = unframed(candidate, headers, unpackAnswer(answer.body, headers['content-encoding']));
  return readStreamed(body, declared, answered, options);
}

/** What comes as a stream: one, an answer in one piece all the same, or bytes. */
async function readStreamed(
  body: Readable,
  declared: DeclaredFraming,
  answered: Answered,
  options: ReadOptions,
): Promise<Answer | AttemptFailure> {
  const { candidate, request, status, headers } = answered;
  const { startedAt } = options;
  const isBytes = status < 300 && answersBytes(candidate, headers);
  if (isBytes && declared !== 'sse') return readBytes(body, answered, options);
  if (declared === 'none' && status < 300 && mayBeLarge(candidate, request))
    return readLargeAnswer(body, answered, options);
  if ((!request.stream && !isBytes) || declared === 'none')
    return readWholeAnswer(await readWhole(body, options.answerLimitBytes), declared, answered, startedAt);

  const firstByteMs = Math.max(
    0,
    startedAt + candidate.client.upstream.first_byte_timeout_ms - performance.now(),
  );
  const framing = declared === 'unknown' ? await detectFraming(body, firstByteMs) : declared;
  if (framing === 'none')
    return readWholeAnswer(await readWhole(body, options.answerLimitBytes), framing, answered, startedAt);
  const framed: Framed = { ...answered, framing };
  const isJob = request.background && candidate.protocol === request.protocol;
  const beginning = await readBeginning(body, { rules: findRules(candidate), framing, isJob }, firstByteMs);
  if (beginning.kind === 'begun') {
    const { firstByteAt, announced } = beginning;
    const { broke } = options;
    const waitedMs = firstByteAt - startedAt;
    return { ...framed, kind: 'stream', waitedMs, body: beginning.body, announced, broke };
  }
  body.destroy();
  if (beginning.kind === 'failed') return failed(beginning.failure, answered, startedAt);
  return { kind: beginning.kind === 'late' ? 'timeout' : 'garbage' };
}

/** Pictures pass as they come where nothing of the answer is to be said otherwise. */
const mayBeLarge = ({ task }: Candidate, request: OutgoingRequest): boolean =>
  task !== undefined &&
  !request.stream &&
  task.format === request.task?.format &&
  findTaskUpstream(task).isLarge === true;

/** What says that something went wrong, or where something is, is no longer. */
const MAX_SMALL_BYTES = 65_536;

/** Passes on what is larger than any failure; the rest is read whole, and looked at. */
async function readLargeAnswer(
  body: Readable,
  answered: Answered,
  options: Pick<ReadOptions, 'startedAt' | 'broke'>,
): Promise<Answer | AttemptFailure> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= MAX_SMALL_BYTES) {
    // An answer that takes longer is given up as a whole.
    const patienceMs = answered.candidate.client.upstream.total_timeout_ms;
    if ((await waitForBytes(body, patienceMs)) !== 'ready') break;
    const chunk = body.read() as Buffer;
    chunks.push(chunk);
    length += chunk.length;
  }
  const beginning = Buffer.concat(chunks);
  if (length <= MAX_SMALL_BYTES) return readWholeAnswer(beginning, 'none', answered, options.startedAt);
  if (body.readableEnded) {
    const ended = Readable.from([beginning], { objectMode: false });
    return passedOn(ended, answered, options);
  }
  body.unshift(beginning);
  return passedOn(body, answered, options);
}

/** An answer that is passed on as it comes, from now on. */
const passedOn = (
  body: Readable,
  answered: Answered,
  { startedAt, broke }: Pick<ReadOptions, 'startedAt' | 'broke'>,
): Answer => ({
  ...answered,
  kind: 'stream',
  waitedMs: performance.now() - startedAt,
  body,
  announced: undefined,
  broke,
});

/** Bytes that are no JSON pass as they come, from the first on. */
async function readBytes(
  body: Readable,
  answered: Answered,
  options: ReadOptions,
): Promise<Answer | AttemptFailure> {
  const { first_byte_timeout_ms } = answered.candidate.client.upstream;
  const patienceMs = options.startedAt + first_byte_timeout_ms - performance.now();
  const first = await waitForBytes(body, Math.max(0, patienceMs));
  if (first === 'ready') return passedOn(body, answered, options);
  body.destroy();
  return { kind: first === 'late' ? 'timeout' : 'garbage' };
}

/** Whatever is no JSON of a task that is answered with bytes, in events too. */
const answersBytes = ({ task }: Candidate, headers: UpstreamHeaders): boolean =>
  task !== undefined &&
  findTaskUpstream(task).bytes !== undefined &&
  !/[/+]json\b/i.test(String(headers['content-type'] ?? ''));

function readWholeAnswer(
  body: Buffer,
  declared: DeclaredFraming,
  answered: Answered,
  startedAt: number,
): Answer | AttemptFailure {
  const { candidate, request, status } = answered;
  const waitedMs = performance.now() - startedAt;
  const json = declared === 'sse' || declared === 'json-array' ? undefined : parsed(body);
  const success = status < 300;
  const refusal = success ? undefined : findRefusal(json, answered, startedAt);
  if (refusal) return refusal;
  const unwrapped =
    json === undefined ? undefined : wrappingOf(candidate)?.unwrap(json, status, answered.headers);
  if (unwrapped) return readWholeAnswer(Buffer.from(JSON.stringify(unwrapped)), 'none', answered, startedAt);
  if (json === undefined) {
    const framing = declared === 'sse' || declared === 'json-array' ? declared : 'sse';
    if (framing !== declared && !(success && request.stream && looksLikeEvents(body)))
      return { kind: 'garbage' };
    const failure = failureInEvents(findRules(candidate), framing, body);
    if (failure) return failed(failure, answered, startedAt);
    return { ...answered, kind: 'answer', framing, waitedMs, body, json: undefined };
  }
  const failure = success ? findRules(candidate).findFailure(json) : undefined;
  if (failure) return failed(failure, answered, startedAt);
  const isArray = success && findRules(candidate).streamsJsonArrays && Array.isArray(json);
  return { ...answered, kind: 'answer', waitedMs, framing: isArray ? 'json-array' : 'none', body, json };
}

const CONTENTS_REFUSED =
  'The upstream refused the contents of this request: they go against its rules of use.';

/** A refusal whose body says more than its status. Its words name our account where they are about contents. */
function findRefusal(
  json: unknown,
  answered: Answered,
  startedAt: number,
): Answer | AttemptFailure | undefined {
  const { status } = answered;
  const meant = readRefusal(status, json);
  if (meant === status && !isAmbiguous(status)) return undefined;
  return findStatusPolicy(meant).callersFault
    ? failed({ status: meant, message: CONTENTS_REFUSED }, answered, startedAt)
    : { kind: 'status', status: meant, retryAfterMs: undefined };
}

const findRules = ({ protocol, task }: Candidate) => findAnswerRules(protocol, task);

/** A failure that was told after a status of success, as the answer or the failure that it is. */
function failed(failure: Failure, answered: Answered, startedAt: number): Answer | AttemptFailure {
  const { candidate } = answered;
  const { message } = failure;
  const status = toTrueStatus(failure.status);
  if (!findStatusPolicy(status).callersFault) {
    const words = message === undefined ? {} : { words: textWithoutSecrets(message, candidate.credential) };
    return { kind: 'status', status, retryAfterMs: undefined, ...words };
  }
  const json = CODECS[candidate.protocol].errorBody(failureError(failure), undefined);
  const body = Buffer.from(JSON.stringify(json));
  const waitedMs = performance.now() - startedAt;
  return { ...answered, kind: 'answer', status, waitedMs, framing: 'none', body, json };
}

/** What a content type says; of one that says nothing the bytes are looked at. */
type DeclaredFraming = StreamFraming | 'unknown';

/** Upstreams exist that answer a stream request with one JSON body, and the other way round: their word counts. */
function findDeclaredFraming(
  candidate: Candidate,
  headers: UpstreamHeaders,
  stream: boolean,
): DeclaredFraming {
  const type = String(headers['content-type'] ?? '');
  if (type.includes('text/event-stream') || (isFramed(type) && findFrameReader(candidate, headers)))
    return 'sse';
  if (stream && findRules(candidate).streamsJsonArrays && type.includes('json')) return 'json-array';
  return stream && SAYS_NOTHING.test(type) ? 'unknown' : 'none';
}

const wrappingOf = ({ protocol, task, client }: Candidate): Wrapping | undefined =>
  task ? undefined : findWrapping(client.upstream.wrapping, protocol);

const isFramed = (type: string): boolean => type.includes(EVENT_STREAM_TYPE);

const findFrameReader = (candidate: Candidate, headers: UpstreamHeaders): ReadFrame | undefined =>
  wrappingOf(candidate)?.openFrames?.(headers) ?? CODECS[candidate.protocol].readFrame;

/** Frames are events from here on. */
function unframed(candidate: Candidate, headers: UpstreamHeaders, body: Readable): Readable {
  if (!isFramed(String(headers['content-type'] ?? ''))) return body;
  const readFrame = findFrameReader(candidate, headers);
  return readFrame ? unframeAnswer(body, readFrame) : body;
}

const SAYS_NOTHING = /^\s*(?:$|;|text\/plain|application\/octet-stream|binary\/octet-stream)/i;

export function chooseHandling(
  candidate: Candidate,
  status: number,
  headers: UpstreamHeaders,
  request: OutgoingRequest,
): BodyHandling {
  const { stream, stored } = request;
  const isGone = meansGone(status) && stored?.needed !== undefined;
  const isRead = isGone || isAmbiguous(status) || findStatusPolicy(status).callersFault;
  if (status >= 300 && !isRead) return 'nothing';
  if (headers['content-encoding'] !== undefined) return 'stream';
  if (status < 300 && (mayBeLarge(candidate, request) || answersBytes(candidate, headers))) return 'stream';
  return status < 300 && stream && findDeclaredFraming(candidate, headers, stream) !== 'none'
    ? 'stream'
    : 'whole';
}

/** Undefined where it is no JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
