import { isObject, type JsonObject } from './json.ts';

/**
 * A field of a request that says how much may come back, and how:
 * - `limit`: the format's own limit of one answer's tokens. Names of one meaning must not contradict each other.
 * - `raises`: a name or a budget that some upstream of the format reads as a limit of its own: one answer may have as much.
 * - `beside`: tokens that come on top of the limit.
 * - `text`: text that may be billed as output on top of the limit.
 * - `answers`: how many answers are asked for.
 */
export interface OutputField {
  readonly path: readonly string[];
  readonly role: 'limit' | 'raises' | 'beside' | 'text' | 'answers';
  /** The format refuses it where it is not below the limit. */
  readonly isWithinLimit?: true;
}

/** What a request states of how much may come back. */
export interface ExplicitOutput {
  /** Tokens of one answer, by the format's own field; null where the caller leaves that open. */
  readonly limit: number | null;
  /** One answer may have as many whatever the limit says. */
  readonly raisedTo: number;
  /** Tokens that come on top of each answer. */
  readonly beside: number;
  readonly answers: number;
}

/** No vendor gives more at once. */
const MAX_ANSWERS = 128;

interface OutputFault {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Reads every field that decides how much comes back.
 *
 * @returns a fault where the upstream might read something else than we do: a value of another type, two limits that differ,
 * or a name with other capitals, which decoders that ignore case (Go's) take for the field.
 */
export function readOutput(
  fields: readonly OutputField[],
  body: JsonObject,
):
  | { readonly ok: true; readonly output: ExplicitOutput }
  | { readonly ok: false; readonly fault: OutputFault } {
  const misspelt = misspeltField(fields, body);
  if (misspelt) return { ok: false, fault: misspelt };
  let limit: { path: readonly string[]; value: number } | undefined;
  let [raisedTo, beside, answers] = [0, 0, 1];
  for (const { path, role } of fields) {
    const value = valueAt(body, path);
    if (value === undefined || value === null) continue;
    if (role === 'text') {
      beside += Buffer.byteLength(JSON.stringify(value));
      continue;
    }
    const fault = faultOf(value, role);
    if (fault !== undefined) return { ok: false, fault: { path, message: fault } };
    const count = value as number;
    if (role === 'raises') raisedTo = Math.max(raisedTo, count);
    else if (role === 'beside') beside += Math.max(0, count);
    else if (role === 'answers') answers = Math.max(answers, count);
    else if (limit && limit.value !== count) {
      const message = `says something else than ${limit.path.join('.')}; state one of them`;
      return { ok: false, fault: { path, message } };
    } else limit = { path, value: count };
  }
  return { ok: true, output: { limit: limit?.value ?? null, raisedTo, beside, answers } };
}

function faultOf(value: unknown, role: OutputField['role']): string | undefined {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'must be an integer';
  if (role === 'answers' && value > MAX_ANSWERS) return `must be at most ${MAX_ANSWERS}`;
  if ((role === 'limit' || role === 'answers') && value < 1) return 'must be at least 1';
  return undefined;
}

function valueAt(body: JsonObject, path: readonly string[]): unknown {
  let value: unknown = body;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

interface Level {
  /** The folded names of the fields and objects below, and how they are spelled. */
  readonly spellings: ReadonlyMap<string, ReadonlySet<string>>;
  readonly inner: ReadonlyMap<string, Level>;
}

const levels = new WeakMap<readonly OutputField[], Level>();

function levelOf(paths: readonly (readonly string[])[]): Level {
  const byName = Map.groupBy(
    paths.filter(({ length }) => length > 0),
    ([name = '']) => name,
  );
  return {
    spellings: new Map(
      [...Map.groupBy(byName.keys(), fold)].map(([folded, names]) => [folded, new Set(names)]),
    ),
    inner: new Map(
      [...byName].map(([name, below]) => [name, levelOf(below.map((path) => path.slice(1)))] as const),
    ),
  };
}

function misspeltField(fields: readonly OutputField[], body: JsonObject): OutputFault | undefined {
  const level = levels.get(fields) ?? levelOf(fields.map(({ path }) => path));
  levels.set(fields, level);
  return misspeltIn(level, body, []);
}

function misspeltIn(
  { spellings, inner }: Level,
  value: JsonObject,
  above: string[],
): OutputFault | undefined {
  for (const name in value) {
    const part = value[name];
    const below = inner.get(name);
    if (below) {
      if (!isObject(part)) continue;
      const found = misspeltIn(below, part, [...above, name]);
      if (found) return found;
      continue;
    }
    const [right] = spellings.get(fold(name)) ?? [];
    if (right !== undefined) return { path: [...above, name], message: `is written ${right}` };
  }
  return undefined;
}

/** Clients send the same names again and again: each is folded once, as long as there are not too many. */
const folded = new Map<string, string>();
const MAX_FOLDED = 1_000;
const MAX_KEPT_NAME = 64;

function fold(name: string): string {
  const known = folded.get(name);
  if (known !== undefined) return known;
  // Case by both ways, for letters such as the Kelvin sign become plain ones by one of them.
  const plain = name.toUpperCase().toLowerCase().replaceAll(/[_-]/g, '');
  if (name.length <= MAX_KEPT_NAME && folded.size < MAX_FOLDED) folded.set(name, plain);
  return plain;
}
