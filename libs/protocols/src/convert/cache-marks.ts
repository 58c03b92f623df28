import type { Dialect } from '../dialects/dialect.ts';
import { isObject, listAt, textAt } from '../json.ts';
import type { NeutralRequest } from '../neutral/request.ts';

/** A list of which everything up to its end is marked. */
type MarkEnd = (list: readonly unknown[]) => readonly unknown[];

/** What is marked: lists of tools and of system texts, and messages with lists of blocks. */
interface Marked {
  readonly tools?: readonly unknown[] | undefined;
  readonly system?: readonly unknown[] | undefined;
  readonly messages: readonly unknown[];
}

/** Of a text in a language that many tokens are needed for there are fewer: a mark too few costs nothing. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Marks what the next request of an agent begins with again, so that it is read from the vendor's cache at a tenth of the
 * price: the tools, the system text, and the last two things that the user's side said. These are four, which is as many as
 * the vendor takes. Writing costs a quarter more than reading afresh: a question that nothing follows is not marked, nor is
 * a beginning too short to be cached.
 */
export function markCache(
  { tools, system, messages: said }: Marked,
  request: NeutralRequest,
  dialect: Dialect,
  markEnd: MarkEnd,
): Marked {
  if (dialect.cache_marks === 'none' || !goesOn(request)) return { tools, system, messages: said };
  let missing = dialect.min_cache_tokens * CHARACTERS_PER_TOKEN;
  const isLongWith = (values: readonly unknown[]): boolean => {
    missing = lessCharacters(values, missing);
    return missing <= 0;
  };
  const markLast = (list: readonly unknown[] = []) =>
    isLongWith(list) && list.length > 0 ? markEnd(list) : list;
  const markedTools = tools && markLast(tools);
  const markedSystem = system && markLast(system);
  const messages = [...said];
  let from = 0;
  for (const index of lastTwoOfUser(messages)) {
    const message = messages[index];
    if (isLongWith(messages.slice(from, index + 1)) && isObject(message))
      messages[index] = { ...message, content: markEnd(listAt(message, 'content')) };
    from = index + 1;
  }
  return { tools: markedTools, system: markedSystem, messages };
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
