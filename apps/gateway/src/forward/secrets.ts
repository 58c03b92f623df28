import { parseJson, type ResponseRewriter } from '@tollgate/protocols';
import type { OpenCredential } from '../route/upstream-client.ts';

/** A shorter text is no secret, and could stand anywhere. */
const MIN_LENGTH = 8;
const HIDDEN = '***';

type Credential = Pick<OpenCredential, 'secret'> & Partial<Pick<OpenCredential, 'auth'>>;

interface Known {
  /** What was derived when it was last looked at: another array where that changed. */
  readonly derived: readonly string[];
  readonly secrets: readonly Buffer[];
}

/** Credentials are made again with every snapshot. */
const known = new WeakMap<Credential, Known>();

const NONE: readonly string[] = [];

/** Everything of a credential that nobody may see: all of it, the texts in one that is JSON, and what was made of it. */
function secretsOf(credential: Credential): readonly Buffer[] {
  const derived = credential.auth?.derivedSecrets?.() ?? NONE;
  const before = known.get(credential);
  if (before?.derived === derived) return before.secrets;
  const { secret } = credential;
  const texts = secret === null ? [] : [secret, ...textsIn(parseJson(secret)), encodeURIComponent(secret)];
  const distinct = [...new Set([...texts, ...derived].filter(({ length }) => length >= MIN_LENGTH))];
  // The longest first: one may stand in another.
  const secrets = distinct.sort((a, b) => b.length - a.length).map((text) => Buffer.from(text));
  known.set(credential, { derived, secrets });
  return secrets;
}

/** What files of clouds say beside their secrets may stand in any answer: kinds, addresses and names. */
const PUBLIC_FIELDS =
  /^(?:type|audience|file|url|project_id|client_id|client_email|universe_domain|\w+_(?:type|ur[il]|field_name|project_id))$/;

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value, JSON.stringify(value).slice(1, -1)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (PUBLIC_FIELDS.test(name) ? [] : textsIn(part)));
}

/** Removes our credential from what an upstream said. Returns the same Buffer when it does not contain it. */
export function withoutSecrets(bytes: Buffer, credential: Credential): Buffer {
  let hidden = bytes;
  for (const secret of secretsOf(credential)) {
    if (!hidden.includes(secret)) continue;
    hidden = Buffer.from(hidden.toString('latin1').replaceAll(secret.toString('latin1'), HIDDEN), 'latin1');
  }
  return hidden;
}

export const textWithoutSecrets = (text: string, credential: Credential): string =>
  withoutSecrets(Buffer.from(text), credential).toString('utf8');

/** An answer event by event, which is how rewriters pass it on: a secret is never cut. */
export function hidingRewriter(rewriter: ResponseRewriter, credential: Credential): ResponseRewriter {
  if (secretsOf(credential).length === 0) return rewriter;
  const hide = (bytes: Buffer | undefined) => bytes && withoutSecrets(bytes, credential);
  return {
    ...rewriter,
    push: (chunk) => hide(rewriter.push(chunk)),
    end: () => hide(rewriter.end()),
  };
}
