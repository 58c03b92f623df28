import { CreateSnapshots1764000000000 } from './1-snapshots.ts';
import { CreateDrafts1764000001000 } from './2-drafts.ts';

/** In the order in which they are run. */
export const MIGRATIONS = [CreateSnapshots1764000000000, CreateDrafts1764000001000];
