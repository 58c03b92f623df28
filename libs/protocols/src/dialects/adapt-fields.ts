import type { ClientProtocol } from '@tollgate/vocabulary';
import { isObject, type JsonObject } from '../json.ts';
import { createNotes, type Notes, Refusal } from '../neutral/notes.ts';
import type { RelayError } from '../relay-error.ts';
import { CODECS } from '../registry.ts';
import type { DialectFields, ExplicitDialect } from './dialect.ts';
import { fitUser } from './fit-text.ts';

/** Values that say nothing: they are left out without a word. */
const DEFAULTS: Readonly<Record<string, number>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

/** Fields of a request that are to be others; those that are undefined are left out. */
type Changes = Record<string, unknown>;

interface Adapting {
  readonly body: JsonObject;
  readonly dialect: ExplicitDialect;
  readonly fields: DialectFields;
  readonly notes: Notes;
}

/** A request that goes on in its own format. */
interface FieldsRequest {
  readonly protocol: ClientProtocol;
  readonly body: JsonObject;
  /** The model's name for the client. */
  readonly model: string;
  /** The key wants 400 where a field would be left out. */
  readonly strict: boolean;
}

type AdaptedFields =
  | {
      readonly ok: true;
      readonly changes: Readonly<Changes>;
      readonly dropped: readonly string[];
      readonly emulated: readonly string[];
    }
  | { readonly ok: false; readonly error: RelayError };

/**
 * What must be said otherwise in a request that goes on in its own format, as the upstream states that it takes that format. A
 * vendor who speaks another one's format refuses some of its fields, which callers cannot know.
 */
export function adaptFields(
  { protocol, body, model, strict }: FieldsRequest,
  dialect: ExplicitDialect,
): AdaptedFields {
  const { conversion, dialects } = CODECS[protocol];
  const notes = createNotes(conversion.support, model, strict);
  const adapting = { body, dialect, fields: dialects.fields, notes };
  try {
    const changes = {
      ...fitUsers(adapting),
      ...fitStops(adapting),
      ...withoutSampling(adapting),
      ...withLimitNamed(adapting),
      ...withoutReasoning(adapting),
      ...withoutRefused(adapting),
    };
    return { ok: true, changes, dropped: [...notes.dropped], emulated: [...notes.emulated] };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, error: error.error };
    throw error;
  }
}

const withoutRefused = ({ body, dialect, notes }: Adapting): Changes =>
  leaveOut(dialect.refused_fields ?? [], body, notes);

function leaveOut(names: readonly string[], body: JsonObject, notes: Notes): Changes {
  const found = names.filter((name) => body[name] !== undefined);
  for (const name of found) if (body[name] !== null && body[name] !== DEFAULTS[name]) notes.drop(name);
  return Object.fromEntries(found.map((name) => [name, undefined]));
}

function withoutSampling({ body, dialect, fields, notes }: Adapting): Changes {
  if (dialect.sampling === 'none') return leaveOut(fields.sampling, body, notes);
  const [temperature = '', topP = ''] = fields.sampling;
  const hasBoth = typeof body[temperature] === 'number' && typeof body[topP] === 'number';
  if (dialect.sampling !== 'temperature_or_top_p' || !hasBoth) return {};
  return leaveOut([body[temperature] === DEFAULTS[temperature] ? temperature : topP], body, notes);
}

function fitUsers({ body, dialect, fields, notes }: Adapting): Changes {
  const { user_min = 0, user_max = null, user_alphabet = 'any' } = dialect;
  const changes: Changes = {};
  for (const name of fields.user) {
    const id = body[name];
    if (typeof id !== 'string') continue;
    const fitting = fitUser(id, { user_min, user_max, user_alphabet });
    if (fitting === id) continue;
    notes.emulate(name);
    changes[name] = fitting;
  }
  return changes;
}

/** The first of them stay. */
function fitStops({ body: { stop }, dialect: { max_stops: max }, notes }: Adapting): Changes {
  if (!Array.isArray(stop) || max === undefined || max === null || stop.length <= max) return {};
  notes.drop('stop');
  return { stop: stop.slice(0, max) as unknown[] };
}

/** What limits the output has one name there, whichever the caller knows. */
function withLimitNamed({ body, dialect, fields, notes }: Adapting): Changes {
  const name = dialect.limit_field;
  const other = fields.limits.find((each) => each !== name && body[each] !== undefined);
  if (name === undefined || other === undefined) return {};
  notes.emulate(other);
  return { [name]: body[name] ?? body[other], [other]: undefined };
}

/** Reasoning of earlier turns is for whoever gave it; it is left out without a word, as converted requests do. */
function withoutReasoning({ body: { messages }, dialect, fields: { reasoning } }: Adapting): Changes {
  const brings = (message: unknown): message is JsonObject =>
    isObject(message) && reasoning.some((name) => message[name] !== undefined);
  if (dialect.reasoning_echo !== false || !Array.isArray(messages) || !messages.some(brings)) return {};
  return {
    messages: messages.map((message: unknown) =>
      brings(message)
        ? Object.fromEntries(Object.entries(message).filter(([name]) => !reasoning.includes(name)))
        : message,
    ),
  };
}
