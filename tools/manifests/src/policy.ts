import type { Manifest } from './manifest.ts';

/** What a policy looks at. */
export interface ManifestSet {
  readonly documents: readonly Manifest[];
  /** Keys of the Secrets that whoever installs it makes, by the Secret's name. */
  readonly documented: ReadonlyMap<string, readonly string[]>;
}

/** A rule that every set of documents keeps. */
export interface Policy {
  readonly name: string;
  /** What breaks the rule, each with the document's name; nothing when it is kept. */
  readonly faults: (set: ManifestSet) => readonly string[];
}
