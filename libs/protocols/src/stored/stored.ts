import type { JsonObject } from '../json.ts';

export type Path = readonly (string | number)[];

/** An id of a request that may name something kept at a vendor. */
export interface NamedId {
  readonly path: Path;
  readonly id: string;
  /**
   * `needed`: the vendor looks it up. `bound`: what it names is told in full, but only its own account can read it.
   * `label`: a mere name.
   */
  readonly use: 'needed' | 'bound' | 'label';
  /** What of the request is left out where the id can't be kept: undefined keeps an id that is the vendor's own. */
  readonly without?: Path;
  /** A vendor's own id, which the caller can't have from us, may pass. */
  readonly ownPasses: boolean;
}

/** What of a wire format names things that stay at the vendor. */
export interface StoredRules {
  readonly named: (body: JsonObject) => readonly NamedId[];
  /** Whether the answer to this request may name something that stays: its ids are wrapped then. */
  readonly gives: (body: JsonObject) => boolean;
  /** Whether the text of an event or answer may hold one; it is parsed then. */
  readonly mayGive: RegExp;
  /** The ids that an event or answer names. */
  readonly given: (event: unknown) => readonly string[];
  /** The one place of an id in an event that is not parsed: a text around one group. */
  readonly unparsed?: RegExp;
}
