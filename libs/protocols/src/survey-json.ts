import { isObject, type JsonObject, MAX_LEVELS } from './json.ts';
import { type Member, findMembers, skipString } from './json-spans.ts';

/** What a JSON text would become, known before it is parsed. */
interface JsonSurvey {
  /** Values in it, containers too; counted no further than `maxValues`. */
  readonly values: number;
  readonly tooMany: boolean;
  readonly tooDeep: boolean;
  /** Members of the outermost object, and of the objects that are members of it. */
  readonly members: number;
  readonly innerMembers: number;
}

/** What a byte outside of strings says; most say nothing. */
const [STRING, COMMA, COLON, OPEN, CLOSE] = [1, 2, 3, 4, 5];
const MARKS = new Uint8Array(256);
for (const [mark, signs] of [
  [STRING, '"'],
  [COMMA, ','],
  [COLON, ':'],
  [OPEN, '{['],
  [CLOSE, '}]'],
] as const)
  for (const sign of signs) MARKS[sign.charCodeAt(0)] = mark;

/**
 * Looks through the bytes of a JSON text once. A value of three bytes, such as `{},`, takes twenty times as much once it is
 * parsed: what holds too many of them is refused before that. Bytes that are no JSON are left to the parser.
 */
export function surveyJson(bytes: Buffer, maxValues: number): JsonSurvey {
  const { length } = bytes;
  let values = 1;
  let depth = 0;
  let members = 0;
  let innerMembers = 0;
  let at = 0;
  while (at < length && values <= maxValues && depth <= MAX_LEVELS) {
    let mark = MARKS[bytes[at] ?? 0];
    while (mark === 0 && ++at < length) mark = MARKS[bytes[at] ?? 0];
    at += 1;
    if (mark === STRING) at = endOfString(bytes, at - 1);
    else if (mark === COMMA) values += 1;
    else if (mark === CLOSE) depth -= 1;
    else if (mark === OPEN) {
      values += 1;
      depth += 1;
    } else if (mark === COLON && depth === 1) members += 1;
    else if (mark === COLON && depth === 2) innerMembers += 1;
  }
  return { values, tooMany: values > maxValues, tooDeep: depth > MAX_LEVELS, members, innerMembers };
}

function endOfString(bytes: Buffer, quote: number): number {
  const end = skipString(bytes, quote);
  return end < 0 ? bytes.length : end;
}

/**
 * The path of a member that stands twice in the outermost object or in an object that is a member of it; undefined where
 * none does. Servers differ in which of the two they read, so that one would be billed and the other one served.
 */
export function duplicateMember(
  bytes: Buffer,
  body: JsonObject,
  survey: Pick<JsonSurvey, 'members' | 'innerMembers'>,
): string | undefined {
  let inner = 0;
  let own = 0;
  for (const value of Object.values(body)) {
    own += 1;
    if (isObject(value)) inner += Object.keys(value).length;
  }
  if (own === survey.members && inner === survey.innerMembers) return undefined;
  const members = findMembers(bytes) ?? [];
  const twice = nameTwice(members);
  if (twice !== undefined) return twice;
  for (const { key, valueStart } of members) {
    const nested = nameTwice(findMembers(bytes, valueStart) ?? []);
    if (nested !== undefined) return `${key}.${nested}`;
  }
  return undefined;
}

function nameTwice(members: readonly Member[]): string | undefined {
  const seen = new Set<string>();
  return members.find(({ key }) => seen.size === seen.add(key).size)?.key;
}
