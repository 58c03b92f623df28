import { NotKept, type Kept } from '../kept.ts';
import { field, isObject, type Json, list } from '../question.ts';

const named = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : isObject(value) ? String(value['id']) : undefined;

/** The request with what it names put in its place. @throws NotKept for what this account does not have. */
export function resolveResponses(body: Json, kept: Kept): Json {
  for (const key of ['conversation', 'prompt']) {
    const id = named(body[key]);
    if (id !== undefined) throw new NotKept(`The ${key} '${id}' was not found.`);
  }
  for (const tool of list(body['tools'])) {
    const container = field(tool, 'container');
    if (typeof container === 'string' && !kept.containers.has(container))
      throw new NotKept(`Container with id '${container}' not found.`);
    for (const id of list(field(tool, 'vector_store_ids')))
      throw new NotKept(`Vector store '${String(id)}' not found.`);
  }
  const previous = body['previous_response_id'];
  const before = previous === undefined || previous === null ? [] : kept.conversations.get(String(previous));
  if (!before) throw new NotKept(`Previous response with id '${String(previous)}' not found.`);
  const { input } = body;
  if (input === undefined) return body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
  const told = items.map((item) => {
    for (const part of list(field(item, 'content'))) {
      const file = field(part, 'file_id');
      if (file !== undefined) throw new NotKept(`No such File object: ${String(file)}`);
    }
    const id = field(item, 'id');
    const type = field(item, 'type');
    const looked =
      type === 'item_reference' ||
      (type === 'reasoning' && !field(item, 'encrypted_content') && id !== undefined);
    if (!looked) return item;
    const found = kept.items.get(String(id));
    if (!found) throw new NotKept(`Item with id '${String(id)}' not found.`);
    return found;
  });
  return { ...body, input: [...before, ...told] };
}

/** Keeps an answer for those who name it later, unless the request did not want that. */
export function keepResponse(body: Json, whole: Json, kept: Kept): void {
  for (const item of list(whole['output'])) {
    const container = field(item, 'container_id');
    if (typeof container === 'string') kept.containers.add(container);
  }
  if (body['store'] === false) return;
  const input = body['input'];
  const said = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
  kept.conversations.set(String(whole['id']), [...said, ...list(whole['output'])]);
  for (const item of list(whole['output'])) if (isObject(item)) kept.items.set(String(item['id']), item);
}
