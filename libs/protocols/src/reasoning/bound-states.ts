import type { ClientProtocol } from '@tollgate/vocabulary';
import type { StateWrapper } from '../convert/reasoning-state.ts';
import type { JsonObject } from '../json.ts';
import type { ReasoningState } from '../neutral/request.ts';
import { CODECS } from '../registry.ts';

/** Whether a state that was made at one place can be read at another. */
const isReadable = ({ place: made }: ReasoningState, place: string): boolean =>
  made === undefined || made === place;

/** Wraps states with the place that made them, and opens only those that this place can read. */
export const bindStates = (wrapper: StateWrapper, place: string): StateWrapper => ({
  wrap: (states) => wrapper.wrap(states.map((state) => ({ ...state, place }))),
  unwrap(text) {
    const states = wrapper.unwrap(text);
    return states && states.filter((state) => isReadable(state, place)).map(withoutPlace);
  },
});

const withoutPlace = ({ place: _place, ...state }: ReasoningState): ReasoningState => state;

/** A wrapper that opens nothing: for a request that must do without its reasoning. */
export const withoutStates = (wrapper: StateWrapper): StateWrapper => ({
  wrap: wrapper.wrap,
  unwrap: (text) => wrapper.unwrap(text) && [],
});

interface StateTarget {
  readonly protocol: ClientProtocol;
  /** Of the upstream's credential that is asked. */
  readonly place: string;
  readonly upstreamModel: string;
  /** The place that made a vendor's own state, as far as it is known. */
  readonly placeOf: (state: string) => string | undefined;
  /** Nothing of it is sent: its upstream has refused it. */
  readonly dropsAll: boolean;
}

export interface BoundRequest {
  /** Top-level fields that differ from what came; undefined for one that is left out. */
  readonly changes: JsonObject;
  /** A state was left out. */
  readonly dropped: boolean;
}

/**
 * What of a request's reasoning states a place of the same format can read: its own as they are, those that were wrapped
 * here unwrapped, and none that another vendor or account made. They would be refused, and the whole request with them.
 */
export function bindRequest(body: JsonObject, wrapper: StateWrapper, target: StateTarget): BoundRequest {
  const { protocol, place, placeOf, upstreamModel, dropsAll } = target;
  const rules = CODECS[protocol].states;
  let dropped = false;
  const changes = rules.replace(
    body,
    (text) => {
      const unwrapped = wrapper.unwrap(rules.wrapped(text));
      const own = unwrapped?.filter((state) => state.format === protocol && isReadable(state, place));
      const kept = dropsAll ? [] : unwrapped === null ? stays(placeOf(text), place) : own;
      dropped ||= kept?.length === 0;
      return kept;
    },
    upstreamModel,
  );
  return { changes, dropped };
}

/** A vendor's own state: it is left out where another place is known to have made it. */
const stays = (made: string | undefined, place: string): [] | undefined =>
  made === undefined || made === place ? undefined : [];

/** Whether a vendor's refusal is about the reasoning that came with the request: its words, as far as they are known. */
export const refusesStates = (words: string): boolean => STATE_WORDS.some((pattern) => pattern.test(words));

const STATE_WORDS = [
  /signature.{0,40}thinking|thinking.{0,40}signature/is,
  /thought.?signature/i,
  /(?:redacted_)?thinking.{0,60}(?:cannot be modified|must remain as they were|must be passed back)/is,
  /encrypted.?content.{0,80}(?:could not|cannot|can't|failed|invalid|not be)/is,
  /invalid_encrypted_content|invalid.{0,20}encrypted.?content/i,
  /reasoning.{0,60}(?:could not be (?:verified|decrypted|parsed)|(?:was|were) not found)/is,
];
