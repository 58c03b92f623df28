import type { Dialect } from '../../dialects/dialect.ts';
import { isObject, type JsonObject, listAt, textAt } from '../../json.ts';
import type { NeutralRequest } from '../../neutral/request.ts';

const MARK = { cache_control: { type: 'ephemeral' } };
/** Of a text in a language that many tokens are needed for there are fewer: a mark too few costs nothing. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Marks what the next request of an agent begins with again, so that it is read from the vendor's cache at a tenth of the
 * price: the tools, the system text, and the last two things that the user's side said. These are four, which is as many as
 * the vendor takes. Writing costs a quarter more than reading afresh: a question that nothing follows is not marked, nor is
 * a beginning too short to be cached.
 */
export function markCache(encoded: JsonObject, request: NeutralRequest, dialect: Dialect): JsonObject {
  if (dialect.cache_marks === 'none' || !goesOn(request)) return encoded;
  let missing = dialect.min_cache_tokens * CHARACTERS_PER_TOKEN;
  const isLongWith = (values: readonly unknown[]): boolean => {
    missing = lessCharacters(values, missing);
    return missing <= 0;
  };
  const markLast = (key: 'tools' | 'system'): JsonObject => {
    const list = listAt(encoded, key);
    return isLongWith(list) && list.length > 0 ? { [key]: withMark(list) } : {};
  };
  const tools = markLast('tools');
  const system = markLast('system');
  const messages = [...listAt(encoded, 'messages')];
  let from = 0;
  for (const index of lastTwoOfUser(messages)) {
    const message = messages[index];
    if (isLongWith(messages.slice(from, index + 1)) && isObject(message))
      messages[index] = { ...message, content: withMark(listAt(message, 'content')) };
    from = index + 1;
  }
  return { ...encoded, ...tools, ...system, messages };
}

/** What has tools or was answered before will be asked again. */
const goesOn = ({ tools, turns, shared }: NeutralRequest): boolean =>
  tools.length > 0 ||
  shared['prompt_cache_key'] !== undefined ||
  turns.some(({ role }) => role === 'assistant');

function lastTwoOfUser(messages: readonly unknown[]): number[] {
  const found: number[] = [];
  for (let index = messages.length - 1; index >= 0 && found.length < 2; index -= 1)
    if (textAt(messages[index], 'role') === 'user') found.unshift(index);
  return found;
}

const withMark = (list: readonly unknown[]): unknown[] =>
  list.map((each, index) => (index === list.length - 1 && isObject(each) ? { ...each, ...MARK } : each));

/** How many characters are still missing after those of a value; it is read no further than that. */
function lessCharacters(value: unknown, missing: number): number {
  if (missing <= 0) return 0;
  if (typeof value === 'string') return missing - value.length;
  if (typeof value !== 'object' || value === null) return missing - 1;
  let left = missing;
  for (const [key, inner] of Object.entries(value)) {
    if (left <= 0) return 0;
    left = lessCharacters(inner, left - (Array.isArray(value) ? 0 : key.length));
  }
  return left;
}
