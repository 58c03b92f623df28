import { z } from 'zod';
import { plainText } from '../ledger/operation-bodies.ts';

const code = z.string().min(6).max(64).meta({ description: 'Of the app, or a recovery code' });
const base64url = (max: number) =>
  z
    .string()
    .regex(/^[\w-]+$/, 'must be base64url')
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

/** What `navigator.credentials.create` answers, as JSON. */
const creation = z.object({
  ...answered,
  response: z.object({
    clientDataJSON: base64url(8_000),
    attestationObject: base64url(40_000),
    transports: z.array(z.enum(TRANSPORTS)).max(10).catch([]).default([]),
  }),
});

/** What `navigator.credentials.get` answers, as JSON. */
const use = z.object({
  ...answered,
  response: z.object({
    clientDataJSON: base64url(8_000),
    authenticatorData: base64url(8_000),
    signature: base64url(8_000),
  }),
});

export const codeBody = z.strictObject({ code }).meta({ examples: [{ code: '123456' }] });
export type CodeBody = z.infer<typeof codeBody>;

/** A request that needs nothing said. */
export const emptyBody = z.strictObject({}).meta({ examples: [{}] });
export type EmptyBody = z.infer<typeof emptyBody>;

export const usePasskeyBody = z.strictObject({ response: use }).meta({
  examples: [
    {
      response: {
        ...{ id: EXAMPLE, rawId: EXAMPLE, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON: EXAMPLE, authenticatorData: EXAMPLE, signature: EXAMPLE },
      },
    },
  ],
});
export type UsePasskeyBody = z.infer<typeof usePasskeyBody>;

const passkeyName = plainText(100).meta({ description: 'What its owner calls it', examples: ['My phone'] });

export const addPasskeyBody = z.strictObject({ name: passkeyName, response: creation }).meta({
  examples: [
    {
      name: 'My phone',
      response: {
        ...{ id: EXAMPLE, rawId: EXAMPLE, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON: EXAMPLE, attestationObject: EXAMPLE, transports: ['internal'] },
      },
    },
  ],
});
export type AddPasskeyBody = z.infer<typeof addPasskeyBody>;

export const renamePasskeyBody = z
  .strictObject({ name: passkeyName })
  .meta({ examples: [{ name: 'My phone' }] });
export type RenamePasskeyBody = z.infer<typeof renamePasskeyBody>;

export const reauthenticateBody = z
  .union([z.strictObject({ password: z.string().min(1).max(1_024) }), z.strictObject({ code })])
  .meta({ examples: [{ password: 'correct horse battery staple' }] });
export type ReauthenticateBody = z.infer<typeof reauthenticateBody>;
