import { limitOutput } from '@tollgate/protocols';
import type { Candidate } from '../route/candidates.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

const WITHIN_LIMIT = { changes: {}, limited: [] };

/** A limit above what the catalogue says the model writes would be refused there. */
export function limitedFor(
  { dialect }: Candidate,
  { protocol, action, outputLimit, payload }: OutgoingRequest,
) {
  const max = dialect.max_output_tokens;
  if (action === 'count' || max === null || (outputLimit ?? 0) <= max) return WITHIN_LIMIT;
  return limitOutput(protocol, payload.json, max);
}
