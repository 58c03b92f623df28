import {
  type BilledExtras,
  createJsonSkim,
  findAnswerRules,
  findTaskClient,
  type TaskForm,
} from '@tollgate/protocols';
import type { Protocol, TokenCounts, TokenKind, UnitKind } from '@tollgate/vocabulary';
import type { TokenBound } from './bound.ts';
import { tokenWeight } from './estimate.ts';
import type { Meter, Metered } from './meter.ts';

type Json = Readonly<Record<string, unknown>>;
type Units = Readonly<Partial<Record<UnitKind, number>>>;

/** What a request of a task uses, as far as that is known before it is answered. */
interface MeasuredTask {
  /** Estimated. */
  readonly tokens: number;
  readonly bound: (contextWindow: number | null) => TokenBound;
  /** As we count them, where the upstream does not. */
  readonly units: Units;
  readonly maxUnits: Units;
  /** What the answer has usually, where it does not say what it has. */
  readonly written: TokenCounts;
}

/** What is known of a request before it is answered, for answers that do not tell. */
interface OwnCount {
  /** Estimated. */
  readonly tokens: number;
  /** Of those that have a price. */
  readonly units: Units;
  readonly written?: TokenCounts | undefined;
}

/** What models put around each input unseen. */
const UNSEEN_PER_INPUT = 32;

/**
 * Measures the request of a task. A model reads no more of one input than its context window, and a token has at least one
 * byte.
 */
export function measureTask(form: TaskForm, body: Json): MeasuredTask {
  const client = findTaskClient(form);
  let estimate = 0;
  const sizes: number[] = [];
  for (const { texts, tokens = 0, media = 0, maxMedia = media } of client.readInputs(body)) {
    let bytes = 0;
    for (const text of texts) {
      estimate += tokenWeight(text);
      bytes += Buffer.byteLength(text);
    }
    estimate += tokens + media;
    sizes.push(bytes + tokens + maxMedia + UNSEEN_PER_INPUT);
  }
  const units = client.readUnits?.(body) ?? {};
  const written = client.readWritten?.(body) ?? {};
  const [usual] = Object.keys(written) as TokenKind[];
  const writes = client.draws ? 'output_image' : usual;
  return {
    tokens: Math.max(1, Math.ceil(estimate)),
    bound: (contextWindow) => ({
      input: sizes.reduce((sum, each) => sum + Math.min(each, contextWindow ?? Infinity), 0),
      textOnly: client.draws !== true && client.sounds !== true,
      writes,
    }),
    units: mapUnits(units, ({ counted }) => counted),
    maxUnits: mapUnits(units, ({ max }) => max),
    written,
  };
}

function mapUnits<T>(units: Readonly<Partial<Record<UnitKind, T>>>, read: (each: T) => number): Units {
  return Object.fromEntries(Object.entries(units).map(([kind, each]) => [kind, read(each)]));
}

/**
 * Counts what the answers to all calls of a task used. What one of them does not report is counted for all, by what is known of
 * the request.
 *
 * @param own the estimated tokens, and of the units that have a price as many as we count.
 */
export function meterTask(
  protocol: Protocol,
  task: TaskForm,
  answers: readonly unknown[],
  own: OwnCount,
): Metered {
  const { usage, extras, emittedText } = findAnswerRules(protocol, task);
  const reported = answers.map((answer): TokenCounts => {
    const found = usage.findInBody(answer);
    return found ? usage.toTokens(found) : {};
  });
  const units = answers.map((answer) => extras.findInBody(answer)?.units ?? {});
  const kinds = Object.keys(own.units) as UnitKind[];
  const isReported = (kind: UnitKind) => units.every((each) => each[kind] !== undefined);
  const reportedKinds = kinds.filter(isReported);
  const beside: BilledExtras = {
    units: Object.fromEntries(
      kinds.map((kind) => [kind, isReported(kind) ? addUp(units, kind) : (own.units[kind] ?? 0)]),
    ),
    counted: kinds.filter((kind) => !isReported(kind)),
  };
  const more = kinds.length > 0 ? { extras: beside } : {};
  if (reported.every((each) => Object.keys(each).length > 0))
    return { tokens: sumCounts(reported), source: 'upstream', ...more };
  // Who bills by units alone tells nothing of tokens.
  if (reportedKinds.length > 0 && reportedKinds.length === kinds.length)
    return { tokens: {}, source: 'upstream', ...more };
  const output = Math.ceil(answers.reduce<number>((sum, each) => sum + tokenWeight(emittedText(each)), 0));
  const tokens = { input: own.tokens, ...(output > 0 ? { output } : {}), ...own.written };
  return { tokens, source: 'estimated', ...more };
}

/**
 * Counts an answer that is too large to be held, as it passes; of one that breaks off nobody can use anything. What is left before
 * all of it has passed may have been nearly all of it.
 */
export function createLargeMeter(protocol: Protocol, task: TaskForm, own: OwnCount): Meter {
  const skim = createJsonSkim();
  return {
    feed: (chunk) => skim.push(chunk),
    last: () => undefined,
    end: () => {},
    complete: skim.isWhole,
    failed: () => false,
    finishReasons: () => [],
    finish(ending) {
      if (ending === 'upstream_cut') return NOTHING;
      const answer = skim.read();
      return answer === undefined ? countOwn(own) : meterTask(protocol, task, [answer], own);
    },
  };
}

const NOTHING: Metered = { tokens: {}, source: 'estimated' };

/** Of an answer that says nothing of what it used, or that nobody has. */
export const countOwn = (own: OwnCount): Metered =>
  withOwnUnits({ tokens: { input: own.tokens, ...own.written }, source: 'estimated' }, own);

/** Counts an answer of bytes that say nothing, such as sound. Of one that its upstream breaks off nothing is billed. */
export function createBytesMeter(own: OwnCount): Meter {
  let isWhole = false;
  return {
    feed: () => {},
    last: () => undefined,
    end: () => void (isWhole = true),
    complete: () => isWhole,
    failed: () => false,
    finishReasons: () => [],
    finish: (ending) => (ending === 'upstream_cut' ? NOTHING : countOwn(own)),
  };
}

/** A stream of a task: what it does not report when it ends is counted by what is known of the request. */
export const meterTaskStream = (meter: Meter, own: OwnCount): Meter => ({
  ...meter,
  finish(ending) {
    const metered = meter.finish(ending);
    const isCut = ending === 'upstream_cut';
    const isSilent = metered.source === 'estimated' && !isCut;
    const tokens = isSilent ? { ...metered.tokens, ...own.written } : metered.tokens;
    return withOwnUnits({ ...metered, tokens }, isCut ? { ...own, units: {} } : own);
  },
});

/** Units that have no price are billed by the tokens of the same answer. */
function withOwnUnits({ extras, ...metered }: Metered, { units }: OwnCount): Metered {
  const kinds = Object.keys(units) as UnitKind[];
  if (kinds.length === 0 && !extras) return metered;
  const counted = kinds.filter((kind) => extras?.units?.[kind] === undefined);
  const all = Object.fromEntries(kinds.map((kind) => [kind, extras?.units?.[kind] ?? units[kind] ?? 0]));
  return { ...metered, extras: { ...extras, units: all, counted } };
}

const addUp = (counts: readonly Units[], kind: UnitKind): number =>
  counts.reduce((sum, each) => sum + (each[kind] ?? 0), 0);

function sumCounts(counts: readonly TokenCounts[]): TokenCounts {
  const sum: Partial<Record<keyof TokenCounts, number>> = {};
  for (const each of counts)
    for (const kind of Object.keys(each) as (keyof TokenCounts)[])
      sum[kind] = (sum[kind] ?? 0) + (each[kind] ?? 0);
  return sum;
}
