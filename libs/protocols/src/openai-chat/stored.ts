import { listAt, objectAt, someTextAt } from '../json.ts';
import type { StoredRules } from '../stored/stored.ts';
import { keptIdsIn, needed } from '../stored/walk.ts';

const OPAQUE = new Set(['parameters', 'schema', 'metadata']);

/** Spoken answers stay for an hour, to be named by their ids. */
export const chatStored: StoredRules = {
  named: (body) => [
    ...listAt(body, 'messages').flatMap((message, index) =>
      needed(['messages', index, 'audio', 'id'], objectAt(message, 'audio')?.['id']),
    ),
    ...keptIdsIn(body, OPAQUE),
  ],
  gives: (body) => 'modalities' in body || 'audio' in body,
  mayGive: /"audio"\s*:\s*\{[^{}]*"id"/,
  given: (event) =>
    listAt(event, 'choices').flatMap(
      (choice) =>
        someTextAt(objectAt(objectAt(choice, 'delta') ?? objectAt(choice, 'message'), 'audio'), 'id') ?? [],
    ),
};
