import { z } from 'zod';
import { toIdSchema, timestamp } from './common.ts';
import { emptyBody, newPassword, personName } from './fields.ts';
import { defineResource } from './route.ts';
import { factorCode, factorMethod, sessionAnswer, TOO_MANY } from './sign-in.ts';
import { passkeyRequest, usePasskeyBody } from './webauthn.ts';

/** What people see and change of themselves. */
export const profile = defineResource({
  listOwnSessions: {
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'List where one is signed in, the last seen first',
    permission: 'self:write',
    answer: z.object({
      items: z.array(
        z
          .object({
            id: z.uuid(),
            is_current: z.boolean(),
            device: z
              .object({ browser: z.string().nullable(), system: z.string().nullable() })
              .meta({ description: 'What the browser says of itself; null is nothing that is known' }),
            address: z.string().meta({ description: 'The IP address it was last seen at' }),
            created_at: timestamp,
            last_seen_at: timestamp,
            expires_at: timestamp,
          })
          .meta({ id: 'OwnSession' }),
      ),
    }),
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/api/auth/sessions',
    summary: 'Sign out everywhere else',
    permission: 'self:write',
    status: 204,
  },
  endSession: {
    method: 'DELETE',
    path: '/api/auth/sessions/:session',
    summary: 'Sign out one session',
    permission: 'self:write',
    params: z.strictObject({ session: toIdSchema('session') }),
    status: 204,
  },
  getProfile: {
    method: 'GET',
    path: '/api/auth/profile',
    summary: "Say who one is, and what the account's clock is",
    permission: 'self:write',
    answer: sessionAnswer
      .extend({
        name: z.string(),
        account_name: z.string(),
        time_zone: z.string(),
        has_password: z.boolean().meta({ description: 'False for who signs in with a provider only' }),
        created_at: timestamp,
      })
      .meta({ id: 'Profile' }),
  },
  changeProfile: {
    method: 'PATCH',
    path: '/api/auth/profile',
    summary: 'Change one’s own name',
    permission: 'self:write',
    body: z.strictObject({ name: personName }).meta({ examples: [{ name: 'Grace Hopper' }] }),
    status: 204,
  },
  setOwnPassword: {
    method: 'PUT',
    path: '/api/auth/password',
    summary: 'Set one’s own password',
    description: 'Signs out everywhere else.',
    permission: 'self:write',
    // It takes an own way in.
    reauthenticate: true,
    body: z.strictObject({ current_password: z.string().min(1).max(1_024), password: newPassword }).meta({
      examples: [{ current_password: 'the one before it', password: 'correct horse battery staple' }],
    }),
    status: 204,
    errors: TOO_MANY,
  },
  listProofs: {
    method: 'GET',
    path: '/api/auth/reauthentication',
    summary: 'Say how one can prove once more who one is',
    permission: 'self:write',
    answer: z.object({ methods: z.array(z.enum([...factorMethod.options, 'password', 'provider'])) }),
  },
  reauthenticate: {
    method: 'POST',
    path: '/api/auth/reauthentication',
    summary: 'Prove once more who one is, with the password or a code',
    permission: 'self:write',
    body: z
      .union([
        z.strictObject({ password: z.string().min(1).max(1_024) }),
        z.strictObject({ code: factorCode }),
      ])
      .meta({ examples: [{ password: 'correct horse battery staple' }] }),
    status: 204,
    errors: TOO_MANY,
  },
  askForProvingPasskey: {
    method: 'POST',
    path: '/api/auth/reauthentication/passkey/options',
    summary: 'Get what the browser needs to ask for a passkey as a proof',
    permission: 'self:write',
    audited: false,
    body: emptyBody,
    answer: passkeyRequest,
    errors: { 409: 'Passkeys cannot be used at this address.' },
  },
  reauthenticateWithPasskey: {
    method: 'POST',
    path: '/api/auth/reauthentication/passkey',
    summary: 'Prove once more who one is, with the answer of a passkey',
    permission: 'self:write',
    body: usePasskeyBody,
    status: 204,
    errors: TOO_MANY,
  },
});
