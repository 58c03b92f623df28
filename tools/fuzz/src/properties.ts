import { isDeepStrictEqual } from 'node:util';
import { createMeter, type Ending } from '@tollgate/metering';
import {
  type AnswerPlan,
  assembleAnswer,
  CODECS,
  type ConversionRequest,
  convertAnswer,
  type ConvertedAnswer,
  convertRequest,
  createResponseRewriter,
  createSseSplitter,
  createStateWrapper,
  createStreamConverter,
  decodeRequest,
  findDialect,
  parseJson,
  replayAnswer,
  type RewriteOptions,
  upstreamErrorMessage,
} from '@tollgate/protocols';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { generateAnswer } from './answers.ts';
import { isCount, isText, must } from './client-events.ts';
import { carriedRequest, requestLike } from './requests.ts';
import { anyBytes, type Arriving, type Framing, toPieces, generateStream } from './streams.ts';
import { TASK_PROPERTIES } from './task-properties.ts';
import { mustBeAnswer } from './valid-answer.ts';
import { mustBeStream } from './valid-stream.ts';

const states = createStateWrapper(Buffer.from('a secret of all gateways'));

export interface RequestOptions {
  readonly stream: boolean;
  readonly strict: boolean;
  readonly count: boolean;
  readonly includeUsage: boolean;
  readonly framing: Framing;
}

const requestOptions: fc.Arbitrary<RequestOptions> = fc.record({
  stream: fc.boolean(),
  strict: fc.boolean(),
  count: fc.boolean(),
  includeUsage: fc.boolean(),
  framing: fc.constantFrom<Framing>('sse', 'json-array'),
});

const conversionOf = (
  from: ClientProtocol,
  to: ClientProtocol,
  body: ConversionRequest['body'],
  options: RequestOptions,
): ConversionRequest => ({
  from,
  to,
  body,
  ...options,
  model: 'the model',
  upstreamModel: 'upstream-model',
  dialect: findDialect(to, 'upstream-model'),
  defaultMaxTokens: 4_096,
  states,
});

/** Reads and converts a request as the gateway does: the outcome is a body or an error, never an exception. */
export function checkRequest(
  from: ClientProtocol,
  to: ClientProtocol,
  bytes: Buffer,
  options: RequestOptions,
): void {
  const decoded = decodeRequest(from, bytes, {
    pathModel: 'the model',
    action: options.stream ? CODECS[from].streamRequest.action : 'generate',
  });
  if (!decoded.ok) return must(isText(decoded.error.message), 'An error without a message', decoded.error);
  const converted = convertRequest(conversionOf(from, to, decoded.body, options));
  if (!converted.ok)
    return must(converted.error.message !== '', 'An error without a message', converted.error);
  const body = parseJson(converted.body.toString('utf8'));
  must(
    typeof body === 'object' && body !== null,
    'The body is no JSON object',
    converted.body.toString('utf8'),
  );
  must([...converted.dropped, ...converted.emulated].every(isText), 'A note is no text', converted);
}

const PLAIN: RequestOptions = {
  stream: false,
  strict: false,
  count: false,
  includeUsage: true,
  framing: 'sse',
};

/** A request with everything of its format that this upstream's can carry. */
const carried = (from: ClientProtocol, to: ClientProtocol) =>
  carriedRequest(from, (body) => {
    const converted = convertRequest(conversionOf(from, to, body as ConversionRequest['body'], PLAIN));
    return converted.ok ? null : (converted.error.param ?? '');
  });

const plans = new Map<string, AnswerPlan>();

/** What the answer to such a request must know. */
function planOf(
  from: ClientProtocol,
  to: ClientProtocol,
  { includeUsage, framing }: RequestOptions,
): AnswerPlan {
  const key = JSON.stringify([from, to, includeUsage, framing]);
  const known = plans.get(key);
  if (known) return known;
  const body = carried(from, to) as ConversionRequest['body'];
  const converted = convertRequest(conversionOf(from, to, body, { ...PLAIN, includeUsage, framing }));
  must(converted.ok, 'The plain request is refused', converted);
  plans.set(key, converted.plan);
  return converted.plan;
}

function checkConverted(converted: ConvertedAnswer, check: (body: Buffer) => void): void {
  if (converted.ok) check(converted.body);
  else must(isText(converted.error.message), 'An error without a message', converted.error);
}

const clientFraming = (from: ClientProtocol, { framing }: RequestOptions): Framing =>
  CODECS[from].streamsJsonArrays ? framing : 'sse';

export function checkAnswer(
  from: ClientProtocol,
  to: ClientProtocol,
  bytes: Buffer,
  options: RequestOptions,
): void {
  const plan = planOf(from, to, options);
  checkConverted(convertAnswer(plan, bytes), (body) => mustBeAnswer(from, body));
  checkConverted(replayAnswer(plan, bytes), (body) =>
    mustBeStream(from, clientFraming(from, options), body.toString('utf8')),
  );
  must(isText(upstreamErrorMessage(to, bytes) ?? ''), 'A message is no text', bytes.toString('utf8'));
}

/** What a client has received when the upstream's stream came in these pieces. */
function streamed(plan: AnswerPlan, framing: Framing, pieces: readonly Buffer[]): string {
  const converter = createStreamConverter(plan, framing);
  return Buffer.concat(
    [...pieces.map((piece) => converter.push(piece)), converter.end()].flatMap((bytes) => bytes ?? []),
  ).toString('utf8');
}

export function checkStream(
  from: ClientProtocol,
  to: ClientProtocol,
  arriving: Arriving,
  options: RequestOptions,
): void {
  const plan = planOf(from, to, options);
  const whole = streamed(plan, arriving.framing, [arriving.bytes]);
  mustBeStream(from, clientFraming(from, options), whole);
  must(streamed(plan, arriving.framing, toPieces(arriving)) === whole, 'Cuts change the stream', whole);
  checkConverted(assembleAnswer(plan, arriving.framing, arriving.bytes), (body) => mustBeAnswer(from, body));
}

const ENDINGS: readonly Ending[] = ['complete', 'client_aborted', 'upstream_cut'];

function checkMeter(protocol: ClientProtocol, arriving: Arriving): void {
  for (const stream of ['none', arriving.framing] as const) {
    for (const ending of ENDINGS) {
      const [whole, cut] = [[arriving.bytes], toPieces(arriving)].map((pieces) => {
        const meter = createMeter(protocol, { stream, requestEstimate: 10 });
        for (const piece of pieces) meter.feed(piece);
        meter.last();
        return meter.finish(ending);
      });
      must(Object.values(whole?.tokens ?? {}).every(isCount), 'A count is no whole number', whole);
      must(JSON.stringify(whole) === JSON.stringify(cut), 'Cuts change the count', [whole, cut]);
    }
  }
}

function rewritten(protocol: ClientProtocol, options: RewriteOptions, pieces: readonly Buffer[]): Buffer {
  const rewriter = createResponseRewriter(protocol, options);
  return Buffer.concat(
    [...pieces.map((piece) => rewriter.push(piece)), rewriter.end()].flatMap((bytes) => bytes ?? []),
  );
}

const CARRIAGE_RETURN = 0x0d;

/** What the events of a stream say; the last one may lack its blank line, and is none where it is half of one. */
function eventsOf(bytes: Buffer): string[] {
  const splitter = createSseSplitter();
  // A carriage return that is last may be half of a line's end: with the other half the line is as it was.
  const lines = bytes.at(-1) === CARRIAGE_RETURN ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes;
  const isWhole = ({ data }: { readonly data: string | undefined }) =>
    data === '[DONE]' || (data !== undefined && parseJson(data) !== undefined);
  return [...splitter.push(lines), ...splitter.flush().filter(isWhole)].flatMap(({ data }) => data || []);
}

function checkRewriter(protocol: ClientProtocol, arriving: Arriving, stripUsage: boolean): void {
  const pieces = toPieces(arriving);
  for (const stream of ['none', arriving.framing] as const) {
    const passed = rewritten(protocol, { stream }, pieces);
    if (stream === 'sse')
      must(
        isDeepStrictEqual(eventsOf(passed), eventsOf(arriving.bytes)),
        'Events changed that should pass',
        passed.toString('utf8'),
      );
    else if (stream === 'none' || parseJson(arriving.bytes.toString('utf8')) !== undefined)
      must(passed.equals(arriving.bytes), 'Bytes changed that should pass', stream);
    must(
      rewritten(protocol, { stream }, [arriving.bytes]).equals(passed),
      'Cuts change what passes',
      passed.toString('utf8'),
    );
    const options: RewriteOptions = { stream, model: 'the "model"', ...(stripUsage ? { stripUsage } : {}) };
    const whole = rewritten(protocol, options, [arriving.bytes]);
    must(
      rewritten(protocol, options, pieces).equals(whole),
      'Cuts change the stream',
      whole.toString('utf8'),
    );
    if (stream === 'none' && parseJson(arriving.bytes.toString('utf8')) !== undefined)
      must(parseJson(whole.toString('utf8')) !== undefined, 'JSON became none', whole.toString('utf8'));
  }
}

interface Property {
  readonly name: string;
  readonly property: fc.IRawProperty<unknown, false>;
}

const property = (name: string, raw: unknown): Property => ({
  name,
  property: raw as fc.IRawProperty<unknown, false>,
});

/** Everything that must hold, for each pair of a client's format and an upstream's, and for each task. */
export const PROPERTIES: readonly Property[] = [
  ...CLIENT_PROTOCOLS.flatMap((from) =>
    CLIENT_PROTOCOLS.flatMap((to) => [
      property(
        `a request of ${from} to ${to} is converted or refused`,
        fc.property(requestLike(carried(from, to)), requestOptions, (bytes, options) =>
          checkRequest(from, to, bytes, options),
        ),
      ),
      property(
        `a whole answer of ${to} to ${from} is valid there or an error`,
        fc.property(generateAnswer(to), requestOptions, (bytes, options) =>
          checkAnswer(from, to, bytes, options),
        ),
      ),
      property(
        `a stream of ${to} to ${from} is valid there wherever it is cut`,
        fc.property(
          fc.oneof({ weight: 6, arbitrary: generateStream(to) }, anyBytes),
          requestOptions,
          (arriving, options) => checkStream(from, to, arriving, options),
        ),
      ),
    ]),
  ),
  ...CLIENT_PROTOCOLS.flatMap((protocol) => [
    property(
      `an answer of ${protocol} is metered the same wherever it is cut`,
      fc.property(fc.oneof({ weight: 6, arbitrary: generateStream(protocol) }, anyBytes), (arriving) =>
        checkMeter(protocol, arriving),
      ),
    ),
    property(
      `an answer of ${protocol} is passed on the same wherever it is cut`,
      fc.property(
        fc.oneof({ weight: 6, arbitrary: generateStream(protocol) }, anyBytes),
        fc.boolean(),
        (arriving, stripUsage) => checkRewriter(protocol, arriving, stripUsage),
      ),
    ),
  ]),
  ...TASK_PROPERTIES.map(({ name, property: raw }) => property(name, raw)),
];
