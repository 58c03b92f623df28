import type { ClientProtocol } from '@tollgate/vocabulary';
import { parseJson } from '../json.ts';
import { CODECS } from '../registry.ts';
import type { Keeping, StoredIds } from './stored-ids.ts';

/** So many ids of one answer are remembered; each is wrapped alike every time. */
const MAX_REMEMBERED = 10_000;

/** Gives the ids in the JSON text of an answer, or of one event of it, as its caller may use them. */
export type WrapAnswer = (json: string) => string;

/**
 * Wraps the ids of what the vendor keeps of an answer. The same id is wrapped alike in every event. Of a stream only the
 * few events that may name something new are parsed; in the others the id of the item is replaced as text.
 */
export function createAnswerWrapper(protocol: ClientProtocol, ids: StoredIds, keeping: Keeping): WrapAnswer {
  const { mayGive, given, unparsed } = CODECS[protocol].stored;
  const wrapped = new Map<string, string>();
  const wrap = (id: string): string => {
    const known = wrapped.get(id) ?? ids.wrap(id, keeping);
    if (wrapped.size >= MAX_REMEMBERED) wrapped.clear();
    wrapped.set(id, known);
    return known;
  };
  return (json) => {
    if (mayGive.test(json)) {
      // As whole JSON strings: quotes inside a text are escaped, so that no text can hold one.
      return [...new Set(given(parseJson(json)))].reduce(
        (text, id) => text.replaceAll(JSON.stringify(id), () => JSON.stringify(wrap(id))),
        json,
      );
    }
    return unparsed === undefined
      ? json
      : json.replace(unparsed, (all: string, id: string) => all.replace(id, () => wrap(id)));
  };
}
