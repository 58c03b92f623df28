import {
  changeBodyFields,
  expandInput,
  type KeptAnswer,
  type KeptQuestion,
  relayError,
  type RelayError,
  type StoredIds,
} from '@tollgate/protocols';
import type { Payload } from '../body/payload.ts';
import type { KeptResponses } from './kept-responses.ts';

interface RecallDependencies {
  readonly keptResponses: KeptResponses;
  readonly storedIds: StoredIds;
  readonly limits: { readonly bodyLimitBytes: number };
}

type Recalled =
  | {
      readonly ok: true;
      readonly payload: Payload;
      /** Reasoning that was named and is not there any more. */
      readonly dropped: readonly string[];
    }
  | { readonly ok: false; readonly error: RelayError };

/** Answers that one request may name: more than an agent's session has, and few enough to look up. */
const MAX_ANSWERS = 512;
/** So many are asked for at once. */
const BATCH = 32;

/**
 * The request with what it names of converted answers in the place of the names, so that every step after this one sees what
 * the model will read, and counts it.
 */
export async function recall(
  { keptResponses, storedIds, limits }: RecallDependencies,
  { payload, accountId, strict }: { payload: Payload; accountId: string; strict: boolean },
): Promise<Recalled> {
  const body = payload.json;
  const answers = new Map<string, KeptAnswer | null>();
  const questions = new Map<string, KeptQuestion | null>();
  const isElsewhere = (id: string) => storedIds.unwrap(id, accountId) !== undefined;
  let bytes = payload.bytes.length;
  for (;;) {
    const expanded = expandInput(body, { answers, questions }, isElsewhere);
    const { missing, lost, input } = expanded;
    if (missing.answers.size + missing.questions.size === 0) {
      if (lost) return { ok: false, error: notKept(lost) };
      if (input === undefined) return { ok: true, payload, dropped: [] };
      if (strict && expanded.dropped[0] !== undefined)
        return { ok: false, error: notKept({ param: expanded.dropped[0], id: 'reasoning' }) };
      return inPlace(
        payload,
        { input, previous: expanded.previous },
        expanded.dropped,
        limits.bodyLimitBytes,
      );
    }
    if (answers.size + missing.answers.size > MAX_ANSWERS || bytes > limits.bodyLimitBytes)
      return { ok: false, error: TOO_MUCH };
    try {
      await inBatches(missing.answers, async (part) => {
        const found = await keptResponses.findAnswer(accountId, part);
        answers.set(part, found);
        bytes += found ? JSON.stringify(found).length : 0;
      });
      await inBatches(missing.questions, async (part) => {
        const found = await keptResponses.findQuestion(accountId, part);
        questions.set(part, found);
        bytes += found ? JSON.stringify(found).length : 0;
      });
    } catch {
      return { ok: false, error: AWAY };
    }
  }
}

async function inBatches(parts: ReadonlySet<string>, find: (part: string) => Promise<void>): Promise<void> {
  const all = [...parts];
  for (let at = 0; at < all.length; at += BATCH) await Promise.all(all.slice(at, at + BATCH).map(find));
}

function inPlace(
  payload: Payload,
  { input, previous }: { readonly input: readonly unknown[]; readonly previous: boolean },
  dropped: readonly string[],
  limitBytes: number,
): Recalled {
  const changes = { input, ...(previous ? { previous_response_id: undefined } : {}) };
  const whole = changeBodyFields(payload.bytes, changes);
  if (whole.length > limitBytes) return { ok: false, error: TOO_MUCH };
  const refused = payload.take(whole.length);
  if (refused) return { ok: false, error: refused };
  const members = Object.entries({ ...payload.json, ...changes });
  const json = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  return { ok: true, payload: payload.changed(whole, json), dropped };
}

const notKept = ({ param, id }: { readonly param: string; readonly id: string }): RelayError =>
  relayError(
    'not_found',
    `${param}: '${id.slice(0, 200)}' is not kept here, or not any more. Answers of models of other vendors are kept for some hours, for the account that received them. Send the conversation in full; the OpenAI provider of the AI SDK does so with \`store: false\`.`,
    { param },
  );

const TOO_MUCH = relayError(
  'payload_too_large',
  'The request names more of earlier answers than one request may hold. Send a shorter conversation.',
);

const AWAY = relayError(
  'unavailable',
  'Earlier answers cannot be looked up at the moment. Try again shortly.',
  {
    retryAfterMs: 1_000,
  },
);
