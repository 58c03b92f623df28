import { isObject, type JsonObject, listAt, someTextAt, textAt } from '../../json.ts';
import { partOfItemId, partOfResponseId } from './kept-ids.ts';

/** What was kept of a converted answer: its items, and what it answered where a later request goes on from there. */
export interface KeptAnswer {
  readonly output: readonly JsonObject[];
}

export interface KeptQuestion {
  /** The id of the response that this one went on from. */
  readonly previous?: string | undefined;
  /** As the caller sent it: references in it are resolved in their turn. */
  readonly input: readonly unknown[];
}

/** What was looked up so far by the part of an id that names an answer; `null` for what is not kept. */
export interface LookedUp {
  readonly answers: ReadonlyMap<string, KeptAnswer | null>;
  readonly questions: ReadonlyMap<string, KeptQuestion | null>;
}

interface Expanded {
  /** Undefined where the request names nothing of the kind. */
  readonly input: readonly unknown[] | undefined;
  /** Whether the id of the response that it goes on from was one of ours. */
  readonly previous: boolean;
  /** References to reasoning that is not there any more, which a model can do without. */
  readonly dropped: readonly string[];
  /** The first field that names something that is not there. */
  readonly lost: { readonly param: string; readonly id: string } | undefined;
  /** What must be looked up before the rest can be said. */
  readonly missing: { readonly answers: ReadonlySet<string>; readonly questions: ReadonlySet<string> };
}

/**
 * The input of a Responses request with everything that it refers to filled in: items of converted answers, and the
 * conversation before. The caller looks up what is missing and calls this again until nothing is.
 *
 * @param isElsewhere whether an id names something that a vendor keeps: that stays as it is.
 */
export function expandInput(
  body: JsonObject,
  found: LookedUp,
  isElsewhere: (id: string) => boolean,
): Expanded {
  const missing = { answers: new Set<string>(), questions: new Set<string>() };
  const dropped: string[] = [];
  let lost: Expanded['lost'];
  let resolved = 0;

  const answerOf = (part: string): readonly JsonObject[] | undefined => {
    const answer = found.answers.get(part);
    if (answer === undefined) missing.answers.add(part);
    return answer?.output;
  };

  function before(id: string, part: string): unknown[] {
    const question = found.questions.get(part);
    const output = answerOf(part);
    if (question === undefined) missing.questions.add(part);
    if (question === null || (!output && found.answers.has(part))) {
      lost ??= { param: 'previous_response_id', id };
      return [];
    }
    if (!question || !output) return [];
    const previousPart = question.previous === undefined ? undefined : partOfResponseId(question.previous);
    const earlier =
      question.previous !== undefined && previousPart !== undefined
        ? before(question.previous, previousPart)
        : [];
    return [
      ...earlier,
      ...question.input.flatMap((item) => itemsFor(item, 'previous_response_id')),
      ...output,
    ];
  }

  function itemsFor(item: unknown, at: string): unknown[] {
    const id = someTextAt(item, 'id');
    if (id === undefined || !isObject(item)) return [item];
    const isReference = namesOnly(item);
    if (!isReference && !isBareReasoning(item)) return [item];
    const part = partOfItemId(id);
    const isReasoning = id.startsWith('rs_');
    if (part === undefined && (!isReasoning || isElsewhere(id))) return [item];
    const output = part === undefined ? undefined : answerOf(part);
    if (part !== undefined && !found.answers.has(part)) return [];
    const kept = output?.find((each) => textAt(each, 'id') === id);
    if (kept) {
      resolved += 1;
      return [kept];
    }
    if (!isReference) return [item];
    if (isReasoning) dropped.push(at);
    else lost ??= { param: `${at}.id`, id };
    return [];
  }

  const previous = someTextAt(body, 'previous_response_id');
  const part = previous === undefined ? undefined : partOfResponseId(previous);
  const earlier = previous === undefined || part === undefined ? [] : before(previous, part);
  const own = inputItems(body).flatMap((item, index) => itemsFor(item, `input[${index}]`));
  const isChanged = part !== undefined || resolved > 0 || dropped.length > 0;
  return {
    input: isChanged ? [...earlier, ...own] : undefined,
    previous: part !== undefined,
    dropped,
    lost,
    missing,
  };
}

/** The items of an input in any of its three forms. */
export function inputItems(body: JsonObject): readonly unknown[] {
  const { input } = body;
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  if (input === undefined || input === null) return [];
  return Array.isArray(input) ? listAt(body, 'input') : [input];
}

const NAMES = new Set(['id', 'type', 'status']);

/** An item that is only an id is looked up, whatever its type. */
const namesOnly = (item: JsonObject): boolean =>
  textAt(item, 'type') === 'item_reference' || Object.keys(item).every((key) => NAMES.has(key));

/** Reasoning whose state the caller did not ask for: it counts on it being kept. */
const isBareReasoning = (item: JsonObject): boolean =>
  textAt(item, 'type') === 'reasoning' && textAt(item, 'encrypted_content') === '';
