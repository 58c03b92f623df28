import { parseJson } from './json.ts';

/** Where a member of a JSON object stands in its bytes; ends are exclusive. */
export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly bytes: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * The members of the JSON object that begins at `start`, found without parsing their values. A duplicate key is
 * listed as often as it stands there. Answers undefined when the bytes hold no object there.
 */
export function findMembers(json: Buffer, start = 0): Member[] | undefined {
  let at = skipSpace(json, start);
  if (json[at] !== OPEN_BRACE) return undefined;
  const members: Member[] = [];
  at = skipSpace(json, at + 1);
  if (json[at] === CLOSE_BRACE) return members;
  for (;;) {
    if (json[at] !== QUOTE) return undefined;
    const keyEnd = skipString(json, at);
    if (keyEnd < 0) return undefined;
    const colon = skipSpace(json, keyEnd);
    if (json[colon] !== COLON) return undefined;
    const valueStart = skipSpace(json, colon + 1);
    const valueEnd = skipValue(json, valueStart);
    const key = keyText(json, at, keyEnd);
    if (valueEnd < 0 || key === undefined) return undefined;
    members.push({ key, keyStart: at, valueStart, valueEnd });
    at = skipSpace(json, valueEnd);
    if (json[at] === CLOSE_BRACE) return members;
    if (json[at] !== COMMA) return undefined;
    at = skipSpace(json, at + 1);
  }
}

/** The bytes with every edit made; edits must not overlap. The same Buffer when there is none. */
export function applyEdits(json: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return json;
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, bytes } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(json.subarray(at, start), Buffer.from(bytes));
    at = end;
  }
  parts.push(json.subarray(at));
  return Buffer.concat(parts);
}

/** Edits that give every member at `path` (one key, or a key and a key inside it) the JSON text `value`. */
export function replaceAt(json: Buffer, path: readonly string[], value: string, start = 0): Edit[] {
  const [key, ...inner] = path;
  const found = (findMembers(json, start) ?? []).filter((member) => member.key === key);
  if (inner.length === 0)
    return found.map(({ valueStart, valueEnd }) => ({ start: valueStart, end: valueEnd, bytes: value }));
  return found.flatMap(({ valueStart }) => replaceAt(json, inner, value, valueStart));
}

/** The object without its top-level members of these names; all others keep their bytes. The same Buffer when there is none. */
export function withoutMembers(json: Buffer, names: readonly string[]): Buffer {
  const members = findMembers(json) ?? [];
  const isLeft = members.map(({ key }) => !names.includes(key));
  const lastLeft = isLeft.lastIndexOf(true);
  const edits = members.flatMap(({ keyStart, valueEnd }, index): Edit[] => {
    if (isLeft[index]) return [];
    // Up to the member behind it, with the comma; behind the last one that is left, from that one on.
    const start = index > lastLeft ? (members[index - 1]?.valueEnd ?? keyStart) : keyStart;
    const end = index > lastLeft ? valueEnd : (members[index + 1]?.keyStart ?? valueEnd);
    return [{ start, end, bytes: '' }];
  });
  return applyEdits(json, edits);
}

/** Undefined for a key with an escape that JSON does not know. */
function keyText(json: Buffer, start: number, end: number): string | undefined {
  const raw = json.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw.slice(1, -1);
  const key = parseJson(raw);
  return typeof key === 'string' ? key : undefined;
}

function skipSpace(json: Buffer, at: number): number {
  for (;;) {
    const byte = json[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** Strings of so many bytes are walked; longer ones are searched, which costs a call. */
const WALKED_BYTES = 48;

/** From an opening quote to behind the closing one; -1 when it is not closed. */
export function skipString(json: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const walked = Math.min(at + WALKED_BYTES, json.length);
    while (at < walked) {
      const byte = json[at];
      if (byte === QUOTE) return at + 1;
      at += byte === BACKSLASH ? 2 : 1;
    }
    const quote = at < json.length ? json.indexOf(QUOTE, at) : -1;
    if (quote < 0) return -1;
    let slashes = 0;
    while (quote - slashes > at && json[quote - slashes - 1] === BACKSLASH) slashes += 1;
    at = quote + 1;
    if (slashes % 2 === 0) return at;
  }
}

function skipValue(json: Buffer, at: number): number {
  const first = json[at];
  if (first === QUOTE) return skipString(json, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(json, at);
  let end = at;
  while (end < json.length && !isEndOfScalar(json[end])) end += 1;
  return end > at ? end : -1;
}

function skipNested(json: Buffer, at: number): number {
  let depth = 0;
  while (at >= 0 && at < json.length) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = skipString(json, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return -1;
}

const isEndOfScalar = (byte: number | undefined): boolean =>
  byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === undefined || byte <= 0x20;
