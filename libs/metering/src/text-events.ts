import type { AnswerRules, BilledExtras, RawUsage, StateCollector } from '@tollgate/protocols';
import { parseJson } from '@tollgate/protocols';
import { EventPattern } from './event-pattern.ts';
import { readReportedCost } from './reported-cost.ts';

/** So many patterns in a row that no event was like: the events of this stream have none. */
const MAX_IDLE_PATTERNS = 8;

interface TextEvent {
  readonly raw: Buffer;
  readonly json: string;
  readonly text: string;
}

/** All that is read in events. */
interface Readers {
  readonly codec: AnswerRules;
  /** Takes states of reasoning out of the events. They stand in members that are neither what an event says nor padding. */
  readonly states?: Pick<StateCollector, 'holds'> | undefined;
  readonly reportsCost?: boolean;
}

/** What a meter knows that an event may change. */
interface Known {
  readonly usage: RawUsage | undefined;
  readonly extras: BilledExtras | undefined;
}

/**
 * Passes events that say a text and tell nothing else, without parsing them: a stream is nearly all of such. They are like the one
 * that was parsed before them, so what a meter knows stays as that left it.
 */
interface TextEvents {
  /** Gives the texts of such events at the beginning of these bytes. Answers where the first other one begins. */
  pass(bytes: Buffer, onText: (text: string) => void): number;
  /** The last event that was passed; undefined where another one came after it. */
  last(): Buffer | undefined;
  /** Another event comes: nothing is like those before it. */
  forget(): void;
  /** That event is read, and this is what is known now. */
  remember(event: TextEvent, known: Known): void;
}

export function createTextEvents(readers: Readers): TextEvents {
  let pattern: EventPattern | undefined;
  let idle = 0;
  let last: Buffer | undefined;
  return {
    pass(bytes, onText) {
      if (!pattern) return 0;
      let at = 0;
      for (let end = pattern.match(bytes, 0); end >= 0; end = pattern.match(bytes, at)) {
        onText(pattern.text());
        last = bytes.subarray(at, end);
        at = end;
      }
      if (at > 0) idle = 0;
      return at;
    },
    last: () => last,
    forget() {
      pattern = undefined;
      last = undefined;
    },
    remember(event, known) {
      if (event.text === '' || idle === MAX_IDLE_PATTERNS) return;
      idle += 1;
      pattern = EventPattern.of(event, (json) => findOnlyText(readers, json, known));
    },
  };
}

/** What an event says; undefined where it tells more than that. */
function findOnlyText(
  { codec, states, reportsCost = false }: Readers,
  json: string,
  { usage, extras }: Known,
): string | undefined {
  const event = parseJson(json);
  const tellsMore =
    event === undefined ||
    codec.findFailure(event) !== undefined ||
    codec.isPreamble(event) ||
    codec.isFinal(event) ||
    codec.usage.findInEvent(event, usage) !== undefined ||
    JSON.stringify(codec.extras.findInEvent(event, extras)) !== JSON.stringify(extras) ||
    states?.holds(event) === true ||
    (reportsCost && readReportedCost(json) !== undefined);
  return tellsMore ? undefined : codec.emittedText(event);
}
