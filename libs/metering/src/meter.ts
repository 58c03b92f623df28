import {
  type BilledExtras,
  createJsonArraySplitter,
  createSseSplitter,
  findAnswerRules,
  isTooDeep,
  parseJson,
  type RawUsage,
  type SseRecord,
  type StateCollector,
  type StreamFraming,
  type TaskForm,
} from '@tollgate/protocols';
import type { Protocol, TokenCounts } from '@tollgate/vocabulary';
import { createTokenScale, tokenWeight } from './estimate.ts';
import { readReportedCost } from './reported-cost.ts';
import { createTextEvents } from './text-events.ts';

/** The tokens of one answer and who says so. */
export interface Metered {
  readonly tokens: TokenCounts;
  /** `upstream`: its final report. `partial`: one made before the end of the answer. `estimated`: none. */
  readonly source: 'upstream' | 'partial' | 'estimated';
  /** What is billed beside them; absent where the answer says nothing of it. */
  readonly extras?: BilledExtras;
  /** What the upstream says that it charges, in USD as it wrote that; absent where it is not asked, or says nothing. */
  readonly cost?: string;
}

export type Ending = 'complete' | 'client_aborted' | 'upstream_cut';

export interface Meter {
  /** Takes bytes as they pass, cut anywhere. */
  feed(chunk: Buffer): void;
  /** The last whole event that passed, for an error that must continue it. */
  last(): unknown;
  /** All bytes have passed: reads what the last of them left without an end. */
  end(): void;
  /** The answer told why it ended: an end of the bytes before that is a cut. */
  complete(): boolean;
  /** The answer said what went wrong in place of its end, which its caller has read. */
  failed(): boolean;
  /** Why the model ended, as the upstream says it; each reason once. */
  finishReasons(): readonly string[];
  finish(ending: Ending): Metered;
}

/**
 * Counts the tokens of one answer from the very bytes that pass.
 *
 * @param options.whole an answer in one piece that was parsed already; its bytes are not parsed again.
 */
export function createMeter(
  protocol: Protocol,
  options: {
    readonly stream: StreamFraming;
    /** In place of a conversation. */
    readonly task?: TaskForm | undefined;
    readonly requestEstimate: number;
    readonly whole?: unknown;
    /** Is shown each event that may hold a state, or the whole answer. */
    readonly states?: StateCollector | undefined;
    /** The upstream says in its usage what it charges. */
    readonly reportsCost?: boolean | undefined;
  },
): Meter {
  return options.stream === 'none'
    ? bodyMeter(protocol, options)
    : streamMeter(protocol, options.stream, options);
}

type MeterOptions = Parameters<typeof createMeter>[1];

function bodyMeter(
  protocol: Protocol,
  { task, requestEstimate, whole, states, reportsCost = false }: MeterOptions,
): Meter {
  const codec = findAnswerRules(protocol, task);
  const chunks: Buffer[] = [];
  let reasons: readonly string[] = [];
  const text = () => Buffer.concat(chunks).toString('utf8');
  const parsed = (): unknown => {
    if (whole === undefined) return parseJson(text());
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    return isTooDeep(whole, bytes) ? undefined : whole;
  };
  return {
    feed: (chunk) => void chunks.push(chunk),
    last: () => undefined,
    end: () => {},
    complete: () => true,
    failed: () => false,
    finishReasons: () => reasons,
    finish() {
      const body = parsed();
      reasons = distinct(codec.finishReasons?.(body));
      states?.read(body);
      const usage = codec.usage.findInBody(body);
      const tokens = usage && codec.usage.toTokens(usage);
      const extras = codec.extras.findInBody(body);
      const beside = { extras, cost: reportsCost ? readReportedCost(text()) : undefined };
      if (tokens && hasAny(tokens)) return withBeside({ tokens, source: 'upstream' }, beside);
      return withBeside(estimated(requestEstimate, tokenWeight(codec.emittedText(body))), beside);
    },
  };
}

function streamMeter(
  protocol: Protocol,
  framing: 'sse' | 'json-array',
  { task, requestEstimate, states, reportsCost = false }: MeterOptions,
): Meter {
  const codec = findAnswerRules(protocol, task);
  const split = eventSplitter(framing);
  let usage: RawUsage | undefined;
  let extras: BilledExtras | undefined;
  let cost: string | undefined;
  let final = false;
  let cumulative = false;
  const scale = createTokenScale();
  let emitted = 0;
  let last: unknown;
  let complete = false;
  let failed = false;
  let produced = false;
  let reasons: readonly string[] = [];
  const texts = framing === 'sse' ? createTextEvents({ codec, states, reportsCost }) : undefined;

  const read = (json: string, raw?: Buffer): void => {
    if (json === '[DONE]') return;
    const event = parseJson(json);
    if (event === undefined) return;
    texts?.forget();
    last = event;
    states?.read(event);
    const fails = codec.findFailure(event) !== undefined;
    failed ||= fails;
    produced ||= !fails && !codec.isPreamble(event);
    const isFinal = codec.isFinal(event);
    complete ||= isFinal;
    if (isFinal && codec.finishReasons) reasons = distinct([...reasons, ...codec.finishReasons(event)]);
    const report = codec.usage.findInEvent(event, usage);
    if (report) ({ usage, final, cumulative } = report);
    extras = codec.extras.findInEvent(event, extras);
    if (reportsCost) cost = readReportedCost(json) ?? cost;
    const text = codec.emittedText(event);
    count(text);
    if (raw) texts?.remember({ raw, json, text }, { usage, extras });
  };
  // Vendors send no less than a token at a time: that counts where a text is denser than it looks.
  const count = (text: string): void => void (text !== '' && (emitted += Math.max(1, scale.weigh(text))));

  return {
    feed(chunk) {
      const passed = texts && split.held() === 0 ? texts.pass(chunk, count) : 0;
      if (passed < chunk.length) split.push(passed === 0 ? chunk : chunk.subarray(passed), read);
    },
    last: () => parseRecord(texts?.last()) ?? last,
    end: () => split.flush(read),
    complete: () => complete,
    failed: () => failed,
    finishReasons: () => reasons,
    finish(ending) {
      split.flush(read);
      if (ending === 'upstream_cut' && !produced) return NOTHING;
      const tokens = usage && codec.usage.toTokens(usage);
      const metered =
        tokens && hasAny(tokens)
          ? reported(tokens, emitted, { final, cumulative, ending })
          : estimated(requestEstimate, emitted);
      return withBeside(metered, { extras, cost });
    },
  };
}

/** What the last report is worth where it may be of before the end. */
function reported(
  tokens: TokenCounts,
  emitted: number,
  of: { readonly final: boolean; readonly cumulative: boolean; readonly ending: Ending },
): Metered {
  const { final, cumulative, ending } = of;
  if (final || (cumulative && ending === 'complete')) return { tokens, source: 'upstream' };
  return {
    tokens: cumulative && outputOf(tokens) > 0 ? tokens : withOutput(tokens, Math.ceil(emitted)),
    source: 'partial',
  };
}

function withBeside(
  metered: Metered,
  { extras, cost }: { readonly extras: BilledExtras | undefined; readonly cost: string | undefined },
): Metered {
  if (extras === undefined && cost === undefined) return metered;
  return { ...metered, ...(extras ? { extras } : {}), ...(cost === undefined ? {} : { cost }) };
}

/** What an upstream announced and did not begin: nobody pays for that. */
const NOTHING: Metered = { tokens: {}, source: 'estimated' };

/** The event of a whole record. */
function parseRecord(raw: Buffer | undefined): unknown {
  const [record] = raw ? createSseSplitter().push(raw) : [];
  return record?.data === undefined ? undefined : parseJson(record.data);
}

/** Is given the data of an event, with its record where it is one. */
type ReadEvent = (json: string, raw?: Buffer) => void;

interface EventSplitter {
  push(chunk: Buffer, read: ReadEvent): void;
  flush(read: ReadEvent): void;
  /** Bytes of the event that is not whole yet. */
  held(): number;
}

function eventSplitter(framing: 'sse' | 'json-array'): EventSplitter {
  if (framing === 'sse') {
    const splitter = createSseSplitter();
    const each = (records: readonly SseRecord[], read: ReadEvent) => {
      for (const { data, raw } of records) if (data !== undefined) read(data, raw);
    };
    return {
      push: (chunk, read) => each(splitter.push(chunk), read),
      flush: (read) => each(splitter.flush(), read),
      held: splitter.held,
    };
  }
  const splitter = createJsonArraySplitter();
  return {
    push(chunk, read) {
      for (const { element } of splitter.push(chunk)) if (element !== undefined) read(element);
    },
    flush: () => {},
    held: splitter.held,
  };
}

/** Vendors have some ten words for it; whoever says ever new ones would have them compared with ever more. */
const MAX_REASONS = 16;
const MAX_REASON_CHARACTERS = 64;

/** Of more than one answer some may end for the same reason. */
const distinct = (reasons: readonly string[] = []): readonly string[] =>
  [...new Set(reasons.map((reason) => reason.slice(0, MAX_REASON_CHARACTERS)))]
    .filter((reason) => reason !== '')
    .slice(0, MAX_REASONS);

const hasAny = (tokens: TokenCounts): boolean => Object.keys(tokens).length > 0;

const outputOf = (tokens: TokenCounts): number =>
  (tokens.output ?? 0) +
  (tokens.output_reasoning ?? 0) +
  (tokens.output_audio ?? 0) +
  (tokens.output_image ?? 0);

/** A report made before the answer grew: its output is lifted to what was seen to pass. */
const withOutput = (tokens: TokenCounts, seen: number): TokenCounts => ({
  ...tokens,
  ...(seen > outputOf(tokens) ? { output: (tokens.output ?? 0) + seen - outputOf(tokens) } : {}),
});

function estimated(input: number, output: number): Metered {
  const tokens: TokenCounts = { input, ...(output > 0 ? { output: Math.ceil(output) } : {}) };
  return { tokens, source: 'estimated' };
}
