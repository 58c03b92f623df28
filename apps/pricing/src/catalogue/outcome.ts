import { type Catalogue, catalogueSchema } from '@tollgate/catalogue';
import { applyChanges, type CatalogueChange, ImpossibleChange } from './change.ts';
import { findFaults } from './validate.ts';

/** What changes make of a catalogue. */
interface Outcome {
  /** Null when it is none: a change is impossible, or an entry is malformed. */
  readonly catalogue: Catalogue | null;
  /** Empty when it may be published. */
  readonly faults: readonly string[];
}

/** Makes changes on a catalogue, with everything that is wrong with the result. */
export function computeOutcome(base: Catalogue, changes: readonly CatalogueChange[]): Outcome {
  let changed: Catalogue;
  try {
    changed = applyChanges(base, changes);
  } catch (error) {
    if (error instanceof ImpossibleChange) return { catalogue: null, faults: [error.message] };
    throw error;
  }
  const parsed = catalogueSchema.safeParse(changed);
  return parsed.success
    ? { catalogue: parsed.data, faults: findFaults(parsed.data) }
    : {
        catalogue: null,
        faults: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
      };
}
