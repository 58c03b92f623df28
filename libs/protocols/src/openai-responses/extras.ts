import type { UnitKind } from '@tollgate/vocabulary';
import { type BilledExtras, type ExtrasRules, isOfType, orNothing, readTier } from '../billed-extras.ts';
import { countAt, listAt, nonZero, objectAt, someTextAt, textAt } from '../json.ts';
import { drawingTokens, OPENAI_TIERS } from '../openai-chat/extras.ts';
import { TERMINAL_EVENTS } from './usage.ts';

/** The last event holds all of it; of a stream that is cut before, what its finished items show is counted. */
export const responsesExtras: ExtrasRules = {
  findInBody: extrasOf,
  findInEvent(event, before) {
    const type = textAt(event, 'type');
    if (TERMINAL_EVENTS.has(type)) return extrasOf(objectAt(event, 'response'));
    return type === 'response.output_item.done' ? withItem(before ?? {}, objectAt(event, 'item')) : before;
  },
};

function extrasOf(response: unknown): BilledExtras | undefined {
  const tools = objectAt(response, 'tool_usage');
  const seen = listAt(response, 'output').reduce<BilledExtras>(withItem, {});
  const search = objectAt(tools, 'web_search');
  // Both are always there, with zeros where the tool did nothing.
  const drawing = objectAt(tools, 'image_gen');
  const drawn = drawingTokens(drawing);
  return orNothing({
    ...seen,
    ...readTier(textAt(response, 'service_tier'), OPENAI_TIERS),
    units: nonZero({ ...seen.units, ...(search ? { searches: countAt(search, 'num_requests') } : {}) }),
    counted: seen.counted?.filter((kind) => kind !== 'searches' || !search),
    pictures: drawing ? undefined : seen.pictures,
    others: Object.keys(drawn).length > 0 ? [{ model: drawingModel(response), counts: drawn }] : undefined,
  });
}

/** Far more than any answer has. Each is compared with all others: no more are counted, whatever an upstream sends. */
const MAX_CONTAINERS = 1_000;

function withItem(before: BilledExtras, item: unknown): BilledExtras {
  if (isOfType(item, 'image_generation_call'))
    return textAt(item, 'result') === '' ? before : { ...before, pictures: (before.pictures ?? 0) + 1 };
  const kind = unitOf(item);
  if (kind === undefined) return before;
  const { units = {}, counted = [], containers = [] } = before;
  const container = containerOf(item);
  const isFull = containers.length >= MAX_CONTAINERS;
  if (kind === 'container_sessions' && (isFull || containers.includes(container))) return before;
  return {
    ...before,
    units: { ...units, [kind]: (units[kind] ?? 0) + 1 },
    counted: counted.includes(kind) ? counted : [...counted, kind],
    ...(kind === 'container_sessions' ? { containers: [...containers, container] } : {}),
  };
}

function unitOf(item: unknown): UnitKind | undefined {
  switch (textAt(item, 'type')) {
    case 'web_search_call':
      return isSearch(item) ? 'searches' : undefined;
    case 'file_search_call':
      return 'file_searches';
    case 'code_interpreter_call':
      return 'container_sessions';
    case 'shell_call':
      return containerOf(item) === '' ? undefined : 'container_sessions';
    default:
      return undefined;
  }
}

/** A shell of the caller's own has none. */
const containerOf = (item: unknown): string =>
  textAt(item, 'container_id') || textAt(objectAt(item, 'environment'), 'container_id');

/** To open a page that was found, or to look for words on it, costs nothing more. */
function isSearch(item: unknown): boolean {
  const action = objectAt(item, 'action');
  return action === undefined || textAt(action, 'type') === 'search';
}

const drawingModel = (response: unknown): string | undefined =>
  someTextAt(
    listAt(response, 'tools').find((tool) => isOfType(tool, 'image_generation')),
    'model',
  );
