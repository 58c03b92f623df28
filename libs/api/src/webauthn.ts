import { FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';

// Passkeys as WebAuthn says them in JSON: https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON

const base64url = (max: number) =>
  z
    .string()
    .regex(/^[\w-]+$/, FIELD_RULES.not_base64url)
    .max(max);

const answered = {
  id: base64url(2_000),
  rawId: base64url(2_000),
  type: z.literal('public-key'),
  /** Nothing is asked of extensions. */
  clientExtensionResults: z.object({}).default({}),
};
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
const EXAMPLE = 'BmFpcnBsYW5lIG1vZGU';
const EXAMPLE_IDS = { id: EXAMPLE, rawId: EXAMPLE, type: 'public-key', clientExtensionResults: {} };

/** What `navigator.credentials.create` answers, as JSON. */
export const createdPasskey = z.object({
  ...answered,
  response: z.object({
    clientDataJSON: base64url(8_000),
    attestationObject: base64url(40_000),
    transports: z.array(z.enum(TRANSPORTS)).max(10).catch([]).default([]),
  }),
});
export const CREATED_PASSKEY_EXAMPLE = {
  ...EXAMPLE_IDS,
  response: { clientDataJSON: EXAMPLE, attestationObject: EXAMPLE, transports: ['internal'] },
};

/** What `navigator.credentials.get` answers, as JSON. */
const usedPasskey = z.object({
  ...answered,
  response: z.object({
    clientDataJSON: base64url(8_000),
    authenticatorData: base64url(8_000),
    signature: base64url(8_000),
  }),
});
const USED_PASSKEY_EXAMPLE = {
  ...EXAMPLE_IDS,
  response: { clientDataJSON: EXAMPLE, authenticatorData: EXAMPLE, signature: EXAMPLE },
};

export const usePasskeyBody = z
  .strictObject({ response: usedPasskey })
  .meta({ examples: [{ response: USED_PASSKEY_EXAMPLE }] });

const descriptors = z.array(
  z.object({ id: z.string(), type: z.string(), transports: z.array(z.string()).optional() }),
);
const userVerification = z.enum(['discouraged', 'preferred', 'required']).optional();

/** What `navigator.credentials.get` is given, as JSON. */
export const passkeyRequest = z
  .object({
    challenge: z.string(),
    timeout: z.number().optional().meta({ description: 'In milliseconds' }),
    rpId: z.string().optional(),
    allowCredentials: descriptors.optional(),
    userVerification,
  })
  .meta({ id: 'PasskeyRequest' });

/** What `navigator.credentials.create` is given, as JSON. */
export const passkeyCreation = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string().optional(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    timeout: z.number().optional().meta({ description: 'In milliseconds' }),
    attestation: z.enum(['direct', 'enterprise', 'indirect', 'none']).optional(),
    excludeCredentials: descriptors.optional(),
    authenticatorSelection: z
      .object({
        residentKey: z.enum(['discouraged', 'preferred', 'required']).optional(),
        requireResidentKey: z.boolean().optional(),
        userVerification,
      })
      .optional(),
    extensions: z.object({ credProps: z.boolean().optional() }).optional(),
  })
  .meta({ id: 'PasskeyCreation' });
