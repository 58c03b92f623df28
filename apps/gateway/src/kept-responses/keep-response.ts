import {
  type AnswerKeeping,
  inputItems,
  type KeptAnswer,
  type KeptQuestion,
  partOfResponseId,
  responseId,
} from '@tollgate/protocols';
import type { Payload } from '../body/payload.ts';
import type { KeptResponses } from './kept-responses.ts';

/** One answer on its way to a Responses client, to be kept where it turns out to be a converted one. */
export interface ResponseKeeping extends AnswerKeeping {
  /** Resolves when the answer can be named, if there is one. Never rejects. */
  store(): Promise<void>;
}

/**
 * @param payload as the caller sent it.
 * @returns undefined where the caller does not want its answer kept.
 */
export function keepResponse(
  keptResponses: KeptResponses,
  of: {
    readonly requestId: string;
    readonly accountId: string;
    readonly payload: Pick<Payload, 'bytes' | 'json'>;
  },
): ResponseKeeping | undefined {
  const { requestId, accountId, payload } = of;
  const body = payload.json;
  if (body['store'] === false) return undefined;
  const id = responseId(requestId);
  const { previous_response_id: named } = body;
  const previous = typeof named === 'string' ? named : undefined;
  // A large input is let go while its answer comes; it would not be kept.
  const isKept = payload.bytes.length <= keptResponses.maxBytes;
  const question: KeptQuestion | undefined = isKept ? { previous, input: inputItems(body) } : undefined;
  let answer: KeptAnswer | undefined;
  return {
    id,
    previous,
    answered: (output) => void (answer = { output }),
    async store() {
      const part = partOfResponseId(id);
      if (answer && part !== undefined) await keptResponses.keep(accountId, part, answer, question);
    },
  };
}
