import type { Json } from '../question.ts';

/** How a vendor refuses a request: its status, its words, and what its envelope says beside them. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  /** Google's `details`. */
  readonly details?: readonly object[];
  /** The whole body, where a vendor has another envelope than the format it speaks. */
  readonly body?: object;
}

/** What a request asks of a vendor. */
export interface VendorRequest {
  readonly body: Json;
  readonly model: string;
  /** Tokens are counted, and nothing is generated. */
  readonly counts: boolean;
  readonly stream: boolean;
  /** Whose credential it came with. */
  readonly account: string;
  readonly header: (name: string) => string | undefined;
}

export interface RuledRequest<Profile> extends VendorRequest {
  readonly profile: Profile;
}

/** Something that a vendor refuses, with the page or the thread that says so. */
export interface Rule<Profile> {
  readonly id: string;
  /** What is refused, as docs/simulator.md says it. */
  readonly refuses: string;
  readonly source: string;
  /** It looks at the conversation once what the vendor keeps stands in the place of its ids. */
  readonly lookedUp?: true;
  readonly check: (request: RuledRequest<Profile>) => Refusal | undefined;
}

/** What a vendor's models take, by their names. */
export interface ModelProfile<Profile> {
  readonly models: RegExp;
  readonly source: string;
  readonly takes: Profile;
}

/** All that a format's vendors refuse. */
export interface RuleBook<Profile> {
  readonly rules: readonly Rule<Profile>[];
  /** The first whose pattern is in the name of a model holds. */
  readonly profiles: readonly ModelProfile<Profile>[];
  /** Of a model that no pattern knows: the newest and most generous. */
  readonly unknown: Profile;
}

export type Refuse = (request: VendorRequest, stage: 'sent' | 'lookedUp') => Refusal | undefined;

/** The first rule that refuses a request, in the order in which the vendor checks. */
export function refuseBy<Profile>({ rules, profiles, unknown }: RuleBook<Profile>): Refuse {
  const sent = rules.filter((rule) => !rule.lookedUp);
  const lookedUp = rules.filter((rule) => rule.lookedUp);
  return (request, stage) => {
    const found = profiles.find(({ models }) => models.test(request.model));
    const ruled = { ...request, profile: found ? found.takes : unknown };
    for (const rule of stage === 'sent' ? sent : lookedUp) {
      const refusal = rule.check(ruled);
      if (refusal) return refusal;
    }
    return undefined;
  };
}

/** A refusal on its way out of the simulator. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The first refusal of a list's entries. */
export function findFirst<Entry>(
  entries: readonly Entry[],
  check: (entry: Entry, index: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [index, entry] of entries.entries()) {
    const refusal = check(entry, index);
    if (refusal) return refusal;
  }
  return undefined;
}
