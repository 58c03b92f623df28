import type { StoredResponses } from '../stored-responses.ts';
import { Refused } from '../rules/rule.ts';
import { field, isObject, type Json, list } from '../question.ts';

const named = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : isObject(value) ? String(value['id']) : undefined;

/** What is not there, or is another account's. */
const notFound = (message: string, param?: string): Refused =>
  new Refused({ status: 404, message, ...(param === undefined ? {} : { param }) });

/** The request with what it names put in its place. @throws Refused for what this account does not have. */
export function resolveResponses(body: Json, stored: StoredResponses): Json {
  for (const key of ['conversation', 'prompt']) {
    const id = named(body[key]);
    if (id !== undefined) throw notFound(`The ${key} '${id}' was not found.`);
  }
  for (const tool of list(body['tools'])) {
    const container = field(tool, 'container');
    if (typeof container === 'string' && !stored.containers.has(container))
      throw notFound(`Container with id '${container}' not found.`);
    for (const id of list(field(tool, 'vector_store_ids')))
      throw notFound(`Vector store '${String(id)}' not found.`);
  }
  const previous = body['previous_response_id'];
  const before =
    previous === undefined || previous === null ? [] : stored.conversations.get(String(previous));
  if (!before) {
    throw new Refused({
      status: 400,
      message: `Previous response with id '${String(previous)}' not found.`,
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
  }
  const { input } = body;
  if (input === undefined) return body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
  const resolved = items.map((item) => {
    for (const part of list(field(item, 'content'))) {
      const file = field(part, 'file_id');
      if (file !== undefined) throw notFound(`No such File object: ${String(file)}`);
    }
    const id = field(item, 'id');
    const type = field(item, 'type');
    const looked =
      type === 'item_reference' ||
      (type === 'reasoning' && !field(item, 'encrypted_content') && id !== undefined);
    if (!looked) return item;
    const found = stored.items.get(String(id));
    if (!found) {
      const hint =
        body['store'] === false
          ? ' Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.'
          : '';
      throw notFound(`Item with id '${String(id)}' not found.${hint}`, 'input');
    }
    return found;
  });
  return { ...body, input: [...before, ...resolved] };
}

/** Keeps an answer for those who name it later, unless the request did not want that. */
export function keepResponse(body: Json, whole: Json, stored: StoredResponses): void {
  for (const item of list(whole['output'])) {
    const container = field(item, 'container_id');
    if (typeof container === 'string') stored.containers.add(container);
  }
  if (body['store'] === false) return;
  const input = body['input'];
  const said = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
  stored.conversations.set(String(whole['id']), [...said, ...list(whole['output'])]);
  for (const item of list(whole['output'])) if (isObject(item)) stored.items.set(String(item['id']), item);
}
