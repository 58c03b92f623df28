import { FOREIGN_CALL, needsSignature } from './convert/signature.ts';
import { isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../json.ts';
import { collectStates, type ReplaceState, type StateRules } from '../reasoning/state-rules.ts';

/** Google keeps them on the parts of the model's turns, in base64. */
export const geminiStates: StateRules = {
  // `tg1.` in base64, as far as it does not hang on what follows.
  mark: 'dGcxL',
  wrapped: (text) => Buffer.from(text, 'base64').toString('latin1'),
  statesIn: (body) =>
    listAt(body, 'contents')
      .flatMap(partsOf)
      .flatMap((part) => stateOf(part) ?? []),
  replace(body, by, upstreamModel) {
    let changed = false;
    const contents = listAt(body, 'contents').flatMap((content) => {
      const parts = partsOf(content);
      if (!isObject(content) || parts.every((part) => stateOf(part) === undefined)) return [content];
      const kept = parts.flatMap((part) => {
        const next = replaced(part, by);
        changed ||= next !== part;
        return next === undefined ? [] : [next];
      });
      return kept.length === 0 ? [] : [{ ...content, parts: signed(kept, upstreamModel) }];
    });
    return changed ? { contents } : {};
  },
  collector: () =>
    collectStates((event) =>
      listAt(event, 'candidates')
        .flatMap((candidate) => partsOf(objectAt(candidate, 'content')))
        .flatMap((part) => stateOf(part) ?? []),
    ),
};

const partsOf = (content: unknown): readonly unknown[] => listAt(content, 'parts');

const stateOf = (part: unknown): string | undefined => {
  const state = someTextAt(part, 'thoughtSignature');
  return state === FOREIGN_CALL ? undefined : state;
};

/** Undefined where nothing is left of the part. */
function replaced(part: unknown, by: ReplaceState): unknown {
  const state = stateOf(part);
  const next = state === undefined ? undefined : by(state);
  if (next === undefined || !isObject(part)) return part;
  const { thoughtSignature: _signature, ...plain }: JsonObject = part;
  const [own] = next;
  if (own) return { ...plain, thoughtSignature: own.data };
  return Object.keys(plain).length === 1 && textAt(plain, 'text') === '' && 'text' in plain
    ? undefined
    : plain;
}

/** From the third generation on the first call of a turn must bear a signature, or the word that it has none. */
function signed(parts: readonly unknown[], upstreamModel: string): unknown[] {
  const first = parts.findIndex((part) => objectAt(part, 'functionCall') !== undefined);
  const bears = someTextAt(parts[first], 'thoughtSignature') !== undefined;
  if (first < 0 || bears || !needsSignature(upstreamModel)) return [...parts];
  return parts.map((part, index) =>
    index === first && isObject(part) ? { ...part, thoughtSignature: FOREIGN_CALL } : part,
  );
}
