import { createHash, hkdfSync } from 'node:crypto';
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import { z } from 'zod';
import { splitAtCommas } from './comma-separated.ts';

const MIN_LENGTH = 32;
/** Pre-shared keys (RFC 4279, RFC 5489) exist up to TLS 1.2 only; this suite has forward secrecy and is authenticated. */
const CIPHER = 'ECDHE-PSK-CHACHA20-POLY1305';
const PROTOCOL = { ciphers: CIPHER, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
const HANDSHAKE_MAX_MS = 5_000;

/** What proves that one service is allowed to ask another: the first is shown, all are taken. */
export type ServiceSecrets = readonly [string, ...string[]];

/** The setting that every service of a deployment shares. */
const serviceSecrets = z
  .string()
  .transform(splitAtCommas)
  .refine((list): list is [string, ...string[]] => list.length > 0, 'must name at least one secret')
  .refine(
    (list) => list.every((secret) => secret.length >= MIN_LENGTH),
    `each secret must have at least ${MIN_LENGTH} characters; \`openssl rand -hex 32\` makes one`,
  );

/** The shape of it in the configuration of a service that asks or answers others. */
export const serviceSecretsShape = {
  SERVICE_SECRETS: serviceSecrets.describe(
    'What services prove to each other that they are of this deployment, comma-separated: the first is shown, all are taken; each at least 32 characters',
  ),
};

interface SharedKey {
  readonly identity: string;
  readonly psk: Buffer;
}

/** A secret as TLS wants it: the name of it that may be seen on the wire, and 32 bytes that may not. */
const toSharedKey = (secret: string): SharedKey => ({
  identity: createHash('sha256').update(`tollgate service identity:${secret}`).digest('hex').slice(0, 16),
  psk: Buffer.from(hkdfSync('sha256', secret, '', 'tollgate service key', 32)),
});

/** TLS of a listener: whoever does not prove one of the secrets is cut off before a byte of theirs is read. */
export function listenerTls(secrets: ServiceSecrets): TlsOptions {
  const keys = new Map(secrets.map(toSharedKey).map(({ identity, psk }) => [identity, psk]));
  return {
    ...PROTOCOL,
    handshakeTimeout: HANDSHAKE_MAX_MS,
    pskCallback: (_socket, identity) => keys.get(identity) ?? null,
  };
}

/** TLS of one who asks: the listener proves the same secret, so it needs no certificate. */
export function clientTls([shown]: ServiceSecrets): ConnectionOptions {
  const key = toSharedKey(shown);
  return { ...PROTOCOL, checkServerIdentity: () => undefined, pskCallback: () => key };
}

/** Whether a connection failed in its handshake: the two sides share no secret. A write that waited for it says EPROTO. */
export const isRefusedSecret = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  /^(?:EPROTO$|ERR_SSL)/.test(String(error.code));
