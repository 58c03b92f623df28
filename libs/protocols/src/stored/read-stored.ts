import type { ClientProtocol } from '@tollgate/vocabulary';
import { isObject, type JsonObject } from '../json.ts';
import { CODECS } from '../registry.ts';
import { relayError, type RelayError } from '../relay-error.ts';
import type { NamedId, Path } from './stored.ts';
import type { StoredIds } from './stored-ids.ts';

/** What a request names of what vendors keep. */
export interface StoredState {
  /** The only place that can serve it. */
  readonly needed: string | undefined;
  /** Places that read all of it, the last told first; others must do without. */
  readonly preferred: readonly string[];
  /** The request's field that the place follows from. */
  readonly param: string | null;
  /** The top-level fields that are sent to a place otherwise than they came; undefined for one that is left out. */
  readonly changesAt: (place: string, body: () => JsonObject) => JsonObject;
  /** The vendor's words about an id, with the id as the caller knows it. */
  readonly retell: (text: string) => string;
}

type ReadStored = ({ readonly ok: true } & StoredState) | { readonly ok: false; readonly error: RelayError };

interface Opened extends NamedId {
  /** Undefined for a vendor's own id. */
  readonly kept: { readonly id: string; readonly place: string } | undefined;
}

/** Opens the ids of a request; those that its account did not receive are not found. */
export function readStored(
  protocol: ClientProtocol,
  body: JsonObject,
  ids: StoredIds,
  account: string,
): ReadStored {
  const opened: Opened[] = [];
  for (const named of CODECS[protocol].stored.named(body)) {
    const kept = ids.unwrap(named.id, account);
    if (kept === null || (kept === undefined && named.use === 'needed')) return notFound(named);
    if (kept !== undefined || !named.ownPasses) opened.push({ ...named, kept });
  }
  if (opened.length === 0) return NOTHING;
  const places = (use: NamedId['use']) => [
    ...new Set(opened.flatMap((each) => (each.use === use && each.kept ? [each.kept.place] : []))),
  ];
  const [needed, second] = places('needed');
  const first = opened.find(({ use }) => use === 'needed');
  if (second !== undefined) {
    const message =
      'The request names things that are kept at different upstream accounts. No one of them has them all.';
    return { ok: false, error: relayError('invalid_request', message, { param: nameOf(first?.path ?? []) }) };
  }
  return {
    ok: true,
    needed,
    preferred: places('bound').reverse(),
    param: first ? nameOf(first.path) : null,
    changesAt: (place, bodyAgain) =>
      changed(
        bodyAgain(),
        opened.flatMap((each) => editOf(each, place)),
      ),
    retell: (text) =>
      opened.reduce((told, { id, kept }) => (kept ? told.replaceAll(kept.id, () => id) : told), text),
  };
}

const NOTHING: ReadStored = {
  ok: true,
  needed: undefined,
  preferred: [],
  param: null,
  changesAt: () => ({}),
  retell: (text) => text,
};

/** The words of OpenAI, whose clients know them. */
const notFound = ({ path, id }: NamedId): ReadStored => ({
  ok: false,
  error: relayError(
    'not_found',
    `${nameOf(path)}: '${id.slice(0, 200)}' not found. What is kept at a vendor is there for the account that received it, under the id that it received. Without it, send the conversation in full; the OpenAI provider of the AI SDK does so with \`store: false\`.`,
    { param: nameOf(path) },
  ),
});

interface PathEdit {
  readonly path: Path;
  /** Undefined leaves it out. */
  readonly value: string | undefined;
}

function editOf({ path, without, kept }: Opened, place: string): PathEdit[] {
  if (kept?.place === place) return [{ path, value: kept.id }];
  return [{ path: without ?? path, value: undefined }];
}

function changed(body: JsonObject, edits: readonly PathEdit[]): JsonObject {
  const keys = new Set(edits.map(({ path: [key] }) => String(key)));
  return Object.fromEntries([...keys].map((key) => [key, edited(body[key], below(edits, key))]));
}

const below = (edits: readonly PathEdit[], key: string | number): PathEdit[] =>
  edits.flatMap(({ path: [first, ...rest], value }) => (first === key ? [{ path: rest, value }] : []));

/** A copy with the edits made. */
function edited(value: unknown, edits: readonly PathEdit[]): unknown {
  if (edits.length === 0) return value;
  const whole = edits.find(({ path }) => path.length === 0);
  if (whole) return whole.value;
  if (Array.isArray(value)) {
    const byIndex = Map.groupBy(edits, ({ path }) => path[0]);
    return value.flatMap((each: unknown, index) => {
      const inner = edited(each, below(byIndex.get(index) ?? [], index));
      return inner === undefined ? [] : [inner];
    });
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, each]) => [key, edited(each, below(edits, key))] as const);
  return Object.fromEntries(members.filter(([, each]) => each !== undefined));
}

/** Such as `input[0].id`. */
const nameOf = (path: Path): string =>
  path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`))
    .join('');
