import { httpError } from '@tollgate/platform';
import { PublishError } from '../snapshots/publication.ts';

/** What to throw to a caller whose change was not published. */
export function toRefusal(error: unknown): unknown {
  if (!(error instanceof PublishError)) return error;
  return error.kind === 'conflict'
    ? httpError(412, error.message, null, 'version_conflict')
    : httpError(400, error.message, null, 'draft_has_faults', { faults: error.message });
}
