import { createHmac } from 'node:crypto';
import type { RedisClient } from '@tollgate/limits';
import { type Keyring, sealBytes, unsealBytes } from '@tollgate/platform';
import { type KeptAnswer, type KeptQuestion, parseJson } from '@tollgate/protocols';
import { createKeptBytes, type KeptBytes } from '../idempotency/kept-bytes.ts';

interface KeptResponsesSettings {
  /** What is kept is kept under the first; under the others it is looked for. */
  readonly keys: Keyring;
  readonly ttlMs: number;
  /** An answer, and the question before it, are kept up to so many bytes each. */
  readonly maxBytes: number;
}

interface KeptResponsesQuota {
  readonly answers: KeptBytes;
  readonly questions: KeptBytes;
}

/**
 * Answers that were converted for Responses clients: no vendor keeps them, and still clients name them in place of sending
 * them again. They are sealed as answers of idempotent requests are, and there for the account that received them.
 */
export interface KeptResponses {
  /** Keeps both, as far as there is room. Never rejects. @param part what the answer's ids have in common. */
  keep(accountId: string, part: string, answer: KeptAnswer, question?: KeptQuestion): Promise<void>;
  /** More bytes of a question, or of an answer, are not kept. */
  readonly maxBytes: number;
  /** `null` for what is not kept. @throws where Redis does not answer. */
  findAnswer(accountId: string, part: string): Promise<KeptAnswer | null>;
  findQuestion(accountId: string, part: string): Promise<KeptQuestion | null>;
}

/** Room for answers and for questions, half of it each: the conversations of some must not push out the answers of others. */
export function createKeptResponsesQuota(
  redis: RedisClient,
  bounds: {
    readonly KEPT_RESPONSES_TTL_S: number;
    readonly KEPT_RESPONSES_ACCOUNT_BYTES: number;
    readonly KEPT_RESPONSES_BYTES: number;
  },
): KeptResponsesQuota {
  const half = (name: string): KeptBytes =>
    createKeptBytes(redis, {
      name,
      perAccount: Math.floor(bounds.KEPT_RESPONSES_ACCOUNT_BYTES / 2),
      inAll: Math.floor(bounds.KEPT_RESPONSES_BYTES / 2),
      ttlMs: bounds.KEPT_RESPONSES_TTL_S * 1_000,
    });
  return { answers: half('kept-answers'), questions: half('kept-questions') };
}

export function createKeptResponses(
  redis: RedisClient,
  quota: KeptResponsesQuota,
  { keys, ttlMs, maxBytes }: KeptResponsesSettings,
): KeptResponses {
  const [sealKey] = keys;

  async function store(place: string, value: object, bytes: KeptBytes, accountId: string): Promise<void> {
    const text = Buffer.from(JSON.stringify(value));
    if (text.length > maxBytes) return;
    const sealed = sealBytes(text, sealKey, place);
    if (await bytes.take(accountId, sealed.length)) await redis.set(place, sealed, 'PX', ttlMs);
  }

  async function find(kind: Kind, accountId: string, part: string): Promise<unknown> {
    for (const key of keys) {
      const place = placeOf(kind, accountId, part, key);
      const sealed = await redis.getBuffer(place);
      if (sealed) return open(sealed, key, place);
    }
    return null;
  }

  return {
    maxBytes,
    async keep(accountId, part, answer, question) {
      await Promise.allSettled([
        store(placeOf('answer', accountId, part, sealKey), answer, quota.answers, accountId),
        question &&
          store(placeOf('question', accountId, part, sealKey), question, quota.questions, accountId),
      ]);
    },
    findAnswer: async (accountId, part) => (await find('answer', accountId, part)) as KeptAnswer | null,
    findQuestion: async (accountId, part) => (await find('question', accountId, part)) as KeptQuestion | null,
  };
}

type Kind = 'answer' | 'question';

function placeOf(kind: Kind, accountId: string, part: string, key: Buffer): string {
  const name = JSON.stringify(['tollgate kept response', kind, accountId, part]);
  return `tollgate:kept-response:{${createHmac('sha256', key).update(name).digest('hex').slice(0, 40)}}`;
}

/** What was changed is as good as gone. */
function open(sealed: Buffer, key: Buffer, place: string): unknown {
  try {
    return parseJson(unsealBytes(sealed, key, place).toString('utf8')) ?? null;
  } catch {
    return null;
  }
}
