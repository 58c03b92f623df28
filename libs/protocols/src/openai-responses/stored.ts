import { isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../json.ts';
import type { NamedId, Path, StoredRules } from '../stored/stored.ts';
import { keptIdsIn, needed } from '../stored/walk.ts';
import { responsesCosts } from './costs.ts';
import { partOfItemId } from './kept/kept-ids.ts';

const OPAQUE = new Set(['parameters', 'output_schema', 'schema', 'metadata', 'client_metadata']);

/** OpenAI keeps every answer unless `store` says otherwise, and containers and files of its tools in any case. */
export const responsesStored: StoredRules = {
  named: (body) => [
    ...needed(['conversation'], body['conversation']),
    ...needed(['conversation', 'id'], objectAt(body, 'conversation')?.['id']),
    ...needed(['prompt', 'id'], objectAt(body, 'prompt')?.['id']),
    ...listAt(body, 'tools').flatMap((tool, index) =>
      needed(['tools', index, 'container'], isObject(tool) ? tool['container'] : undefined),
    ),
    ...itemsOf(body).flatMap(([item, path]) => idOfItem(item, path)),
    ...keptIdsIn(body, OPAQUE),
  ],
  gives: (body) =>
    body['store'] !== false ||
    responsesCosts.offered(body).some(({ type }) => !responsesCosts.freeTools.test(type)),
  mayGive: /"(?:id|response|item|annotation|\w*(?:file|container)_id|vector_store_ids)"\s*:/,
  given: (event) => {
    const response = textAt(event, 'object') === 'response' ? event : objectAt(event, 'response');
    const items = [...listAt(response, 'output'), objectAt(event, 'item')];
    const owners = [response, objectAt(response, 'conversation'), objectAt(response, 'prompt'), ...items];
    return [
      ...owners.flatMap((owner) => someTextAt(owner, 'id') ?? []),
      ...(someTextAt(event, 'item_id') ? [textAt(event, 'item_id')] : []),
      ...keptIdsIn(event, OPAQUE).map(({ id }) => id),
    ];
  },
  unparsed: /"item_id"\s*:\s*"([^"\\]+)"/,
};

function itemsOf({ input }: JsonObject): (readonly [unknown, Path])[] {
  if (Array.isArray(input)) return input.map((item: unknown, index) => [item, ['input', index]] as const);
  return isObject(input) ? [[input, ['input']]] : [];
}

/** Items that say all there is to say: their ids are names, which agents make up themselves. */
const TOLD =
  /^(?:message|(?:function|custom_tool|local_shell|shell|apply_patch|computer|tool_search)_call(?:_output)?|tool_search_output|additional_tools|mcp_approval_response|configuration_update|compaction_trigger)$/;
/** Items that only the account that made them can read. */
const SEALED = /^(?:reasoning|compaction)$/;

/** What an item's id means. An item that is only an id is looked up, whatever its type. */
function idOfItem(item: unknown, path: Path): NamedId[] {
  const id = someTextAt(item, 'id');
  if (id === undefined || !isObject(item)) return [];
  const type = textAt(item, 'type') || ('role' in item ? 'message' : 'item_reference');
  const at = [...path, 'id'];
  if (isTold(type, item)) return [{ path: at, id, use: 'label', without: at, ownPasses: true }];
  if (SEALED.test(type) && textAt(item, 'encrypted_content') !== '')
    return [{ path: at, id, use: 'bound', without: path, ownPasses: true }];
  // Reasoning of another vendor: nothing here knows its id, and there is no state to read.
  if (SEALED.test(type) && partOfItemId(id) !== undefined)
    return [{ path: at, id, use: 'bound', without: path, ownPasses: false }];
  const says = Object.keys(item).some((key) => !NAMES.has(key));
  if (type === 'item_reference' || SEALED.test(type) || !says) return needed(at, id);
  return [{ path: at, id, use: 'bound', without: at, ownPasses: false }];
}

const NAMES = new Set(['id', 'type', 'status']);

/** A message without content, or a call without arguments, is told by its id alone. */
const isTold = (type: string, item: JsonObject): boolean =>
  TOLD.test(type) && Object.keys(item).some((key) => !NAMES.has(key) && key !== 'role' && key !== 'call_id');
