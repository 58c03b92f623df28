import {
  CODECS,
  holdsMark,
  type JsonObject,
  type StateCollector,
  type StateWrapper,
} from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import type { Candidate } from '../route/candidates.ts';
import type { Stage } from '../route/route.ts';
import type { StatePlaces } from './state-places.ts';

/** What is known of the reasoning that a request brings back, and where that of its answer is noted. */
export interface Reasoning {
  /** Places that made some of it, the newest first. */
  readonly places: readonly string[];
  /** The place that made a vendor's own state, as far as it is known. */
  readonly placeOf: (state: string) => string | undefined;
  /** Takes the states out of an answer that is not converted; undefined where nobody else could be asked for the next one. */
  readonly collector: StateCollector | undefined;
}

/** What of a request tells where its reasoning was made. */
interface AskedWith {
  readonly protocol: ClientProtocol;
  readonly payload: { readonly bytes: Buffer; readonly json: JsonObject };
  readonly accountId: string;
  readonly states: StateWrapper;
}

/**
 * Finds out where the reasoning in a request was made. Reasoning that was wrapped here names the place itself; for a vendor's
 * own the place was kept for some hours. If only one credential can be asked, the place does not matter.
 */
export function recallReasoning(
  statePlaces: StatePlaces,
  asked: AskedWith,
  stages: readonly Stage[],
): Reasoning | Promise<Reasoning> {
  const isShared = isAskedElsewhere(stages, asked.protocol);
  const isMarked = holdsMark(asked.payload.bytes, CODECS[asked.protocol].states.mark);
  return isShared || isMarked ? recallStates(statePlaces, asked, isShared) : NOTHING;
}

async function recallStates(
  statePlaces: StatePlaces,
  { protocol, payload, accountId, states }: AskedWith,
  isShared: boolean,
): Promise<Reasoning> {
  const rules = CODECS[protocol].states;
  const found = rules.statesIn(payload.json).map((text) => ({
    text,
    wrapped: states.unwrap(rules.wrapped(text)),
  }));
  const own = found.flatMap(({ text, wrapped }) => (wrapped === null ? [text] : []));
  const known =
    isShared && own.length > 0 ? await statePlaces.find(accountId, own) : new Map<string, string>();
  const places = found.flatMap(({ text, wrapped }) =>
    wrapped === null ? (known.get(text) ?? []) : wrapped.flatMap(({ place }) => place ?? []),
  );
  return {
    places: [...new Set(places.reverse())],
    placeOf: (state) => known.get(state),
    collector: isShared ? rules.collector() : undefined,
  };
}

const NOTHING: Reasoning = { places: [], placeOf: () => undefined, collector: undefined };

/** Whether more than one credential may be asked in the caller's own format. */
function isAskedElsewhere(stages: readonly Stage[], protocol: ClientProtocol): boolean {
  let first: string | undefined;
  for (const { candidates } of stages)
    for (const each of candidates) {
      if (each.protocol !== protocol) continue;
      first ??= each.credential.place;
      if (each.credential.place !== first) return true;
    }
  return false;
}

/** Notes who made the reasoning of an answer that was not converted, for the turns that bring it back. */
export function rememberReasoning(
  statePlaces: StatePlaces,
  { reasoning, accountId }: { readonly reasoning?: Reasoning | undefined; readonly accountId: string },
  { credential }: Pick<Candidate, 'credential'>,
): void {
  const states = reasoning?.collector?.states() ?? [];
  if (states.length > 0) void statePlaces.remember(accountId, states, credential.place);
}
