import { sealBytes, unsealBytes } from '@tollgate/platform';

/** An answer as it is given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What stands in Redis under an Idempotency-Key. */
type Entry =
  /** The first request is under way. */
  | { readonly kind: 'leased'; readonly fingerprint: string }
  | { readonly kind: 'answered'; readonly fingerprint: string; readonly sealed: Buffer };

const LEASED = 'c';
const ANSWERED = 'a';
const FINGERPRINT = { begin: 1, end: 65 };
const LENGTH_BYTES = 4;

/** @param token unique to the request: it distinguishes one lease from the next. */
export const renderLease = (fingerprint: string, token: string): Buffer =>
  Buffer.from(`${LEASED}${fingerprint}${token}`, 'latin1');

/** Sealed, for answers hold what customers wrote and read. */
export function renderAnswered(
  fingerprint: string,
  answer: KeptAnswer,
  key: Buffer,
  redisKey: string,
): Buffer {
  const head = Buffer.from(JSON.stringify({ status: answer.status, headers: answer.headers }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  const sealed = sealBytes(Buffer.concat([length, head, answer.body]), key, redisKey);
  return Buffer.concat([Buffer.from(`${ANSWERED}${fingerprint}`, 'latin1'), sealed]);
}

/** Undefined for what is none of ours. */
export function parseEntry(bytes: Buffer): Entry | undefined {
  const kind = bytes.toString('latin1', 0, FINGERPRINT.begin);
  const fingerprint = bytes.toString('latin1', FINGERPRINT.begin, FINGERPRINT.end);
  if (!/^[0-9a-f]{64}$/.test(fingerprint)) return undefined;
  if (kind === LEASED) return { kind: 'leased', fingerprint };
  return kind === ANSWERED
    ? { kind: 'answered', fingerprint, sealed: bytes.subarray(FINGERPRINT.end) }
    : undefined;
}

/** @throws when it was sealed for another Redis key or with another key, or was changed. */
export function openAnswer(sealed: Buffer, key: Buffer, redisKey: string): KeptAnswer {
  const opened = unsealBytes(sealed, key, redisKey);
  const bodyAt = LENGTH_BYTES + opened.readUInt32BE(0);
  const head = opened.toString('utf8', LENGTH_BYTES, bodyAt);
  return { ...(JSON.parse(head) as Omit<KeptAnswer, 'body'>), body: opened.subarray(bodyAt) };
}
