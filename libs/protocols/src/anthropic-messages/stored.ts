import { isObject, listAt, objectAt, someTextAt } from '../json.ts';
import type { StoredRules } from '../stored/stored.ts';
import { keptIdsIn, needed } from '../stored/walk.ts';
import { messagesCosts } from './costs.ts';

const OPAQUE = new Set(['input', 'input_schema', 'input_examples', 'metadata']);

/** Containers and files of tools that the vendor runs; messages themselves are not kept. */
export const messagesStored: StoredRules = {
  named: (body) => [
    ...needed(['container'], body['container']),
    ...needed(['container', 'id'], objectAt(body, 'container')?.['id']),
    ...keptIdsIn(body, OPAQUE),
  ],
  gives: (body) =>
    isObject(body['container']) ||
    typeof body['container'] === 'string' ||
    messagesCosts.offered(body).some(({ type }) => !messagesCosts.freeTools.test(type)) ||
    listAt(body, 'mcp_servers').length > 0,
  mayGive: /"(?:container|file_id)"\s*:\s*[{"]/,
  given: (event) => [
    ...[event, objectAt(event, 'message'), objectAt(event, 'delta')].flatMap(
      (owner) => someTextAt(objectAt(owner, 'container'), 'id') ?? [],
    ),
    ...keptIdsIn(event, OPAQUE).map(({ id }) => id),
  ],
};
