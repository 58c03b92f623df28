import { hkdfSync } from 'node:crypto';
import { type Keyring, sealKey, sealKeys } from '@tollgate/platform';
import type { z } from 'zod';
import { type PasskeySite, passkeySite } from './passkeys.ts';

/** The settings of billing that are about second factors. */
export const factorConfigShape = {
  FACTOR_SEAL_KEY: sealKey.optional().meta({
    description:
      'Seals the secrets of authenticator apps; 32 random bytes in base64. Set one before `SESSION_SECRET` is changed',
    default_text: 'derived from `SESSION_SECRET`',
  }),
  FACTOR_SEAL_KEYS_OTHER: sealKeys.describe(
    'Earlier ones, comma-separated, which still open what they sealed; a start seals that again',
  ),
} as const;

type FactorConfig = z.infer<z.ZodObject<typeof factorConfigShape>> & {
  readonly SESSION_SECRET: string;
  readonly PUBLIC_URL?: string | undefined;
};

export interface FactorSettings {
  readonly keys: Keyring;
  /** Undefined where passkeys cannot be had. */
  readonly site: PasskeySite | undefined;
}

export function factorSettings(config: FactorConfig): FactorSettings {
  const derived = Buffer.from(hkdfSync('sha256', config.SESSION_SECRET, '', 'tollgate factor seal key', 32));
  const { FACTOR_SEAL_KEY: own, FACTOR_SEAL_KEYS_OTHER: others } = config;
  return {
    // What was sealed before there was a key of its own is still opened.
    keys: own ? [own, ...others, derived] : [derived, ...others],
    site: passkeySite(config.PUBLIC_URL),
  };
}
