import { createHmac } from 'node:crypto';

/** What makes two requests the same. */
export interface Fingerprinted {
  readonly method: string;
  readonly path: string;
  /** Without an API key. */
  readonly query: string;
  /** As it is read: what it was packed with does not matter, a space does. */
  readonly body: Buffer;
}

/** 64 hexadecimal digits that tell requests apart; who does not have the key cannot guess the request from them. */
export function computeFingerprint({ method, path, query, body }: Fingerprinted, key: Buffer): string {
  const head = JSON.stringify(['tollgate idempotent request', method, path, query]);
  return createHmac('sha256', key).update(`${head}\n`).update(body).digest('hex');
}

/**
 * The key of Redis that holds what is known of an Idempotency-Key, in one hash slot of a cluster. Callers choose their keys
 * freely and may put anything in them, so that they are not readable there.
 */
export function toRedisKey(apiKeyId: string, idempotencyKey: string, key: Buffer): string {
  const name = JSON.stringify(['tollgate idempotency key', idempotencyKey]);
  const digest = createHmac('sha256', key).update(name).digest('hex').slice(0, 40);
  return `tollgate:idempotency:{${apiKeyId}:${digest}}`;
}
