import { z } from 'zod';
import { toIdSchema, timestamp } from './common.ts';
import { emptyBody, plainText } from './fields.ts';
import { defineResource } from './route.ts';
import { codeBody, sessionAnswer } from './sign-in.ts';
import { CREATED_PASSKEY_EXAMPLE, createdPasskey, passkeyCreation } from './webauthn.ts';

const passkeyName = plainText(100).meta({ description: 'What its owner calls it', examples: ['My phone'] });

const addedFactor = z
  .object({
    recovery_codes: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Of a first factor, in this answer only; null with another one' }),
    session: sessionAnswer.nullable().meta({ description: 'Of who was not signed in before: now they are' }),
  })
  .meta({ id: 'AddedFactor' });

const params = z.strictObject({ passkey: toIdSchema('passkey') });
const MEANWHILE = 'There is a second factor meanwhile, or this passkey is here already.';
const LAST = 'The role needs a second factor, and this is the last one.';

/** One's own second factors. */
export const factors = defineResource({
  listFactors: {
    method: 'GET',
    path: '/api/auth/factors',
    summary: 'List one’s own second factors',
    permission: 'self:write',
    answer: z
      .object({
        is_required: z.boolean().meta({ description: 'Whether the role needs one' }),
        passkey_origin: z
          .string()
          .nullable()
          .meta({ description: 'Where passkeys are made and used; null where they cannot be had' }),
        totp: z.object({ created_at: timestamp, last_used_at: timestamp.nullable() }).nullable(),
        passkeys: z.array(
          z
            .object({
              id: z.uuid(),
              name: z.string(),
              created_at: timestamp,
              last_used_at: timestamp.nullable(),
            })
            .meta({ id: 'Passkey' }),
        ),
        recovery_codes_left: z.int(),
        last_reset: z
          .object({ at: timestamp, by: z.string() })
          .nullable()
          .meta({ description: 'When somebody else took them away, and who' }),
      })
      .meta({ id: 'Factors' }),
  },
  beginTotp: {
    method: 'POST',
    path: '/api/auth/factors/totp',
    summary: 'Begin to add an authenticator app',
    description: 'Its secret is in this answer only.',
    permission: 'self:write',
    // It adds a way in.
    reauthenticate: true,
    duringEnrolment: true,
    audited: false,
    body: emptyBody,
    answer: z.object({ secret: z.string(), uri: z.string() }),
  },
  addTotp: {
    method: 'POST',
    path: '/api/auth/factors/totp/confirm',
    summary: 'Add the authenticator app that shows a code',
    description: 'It takes the place of one before.',
    permission: 'self:write',
    // It adds a way in.
    reauthenticate: true,
    duringEnrolment: true,
    body: codeBody,
    answer: addedFactor,
    errors: { 409: MEANWHILE },
  },
  removeTotp: {
    method: 'DELETE',
    path: '/api/auth/factors/totp',
    summary: 'Remove the authenticator app',
    permission: 'self:write',
    // It takes a factor away.
    reauthenticate: true,
    status: 204,
    errors: { 404: 'There is no app.', 409: LAST },
  },
  beginPasskey: {
    method: 'POST',
    path: '/api/auth/factors/passkeys/options',
    summary: 'Get what the browser needs to make a passkey',
    permission: 'self:write',
    // It adds a way in.
    reauthenticate: true,
    duringEnrolment: true,
    audited: false,
    body: emptyBody,
    answer: passkeyCreation,
    errors: { 409: 'There are as many passkeys as can be, or they cannot be used at this address.' },
  },
  addPasskey: {
    method: 'POST',
    path: '/api/auth/factors/passkeys',
    summary: 'Add the passkey that the browser made',
    permission: 'self:write',
    // It adds a way in.
    reauthenticate: true,
    duringEnrolment: true,
    body: z
      .strictObject({ name: passkeyName, response: createdPasskey })
      .meta({ examples: [{ name: 'My phone', response: CREATED_PASSKEY_EXAMPLE }] }),
    answer: addedFactor,
    errors: { 409: MEANWHILE },
  },
  renamePasskey: {
    method: 'PATCH',
    path: '/api/auth/factors/passkeys/:passkey',
    summary: 'Rename a passkey',
    permission: 'self:write',
    params,
    body: z.strictObject({ name: passkeyName }).meta({ examples: [{ name: 'My phone' }] }),
    status: 204,
  },
  removePasskey: {
    method: 'DELETE',
    path: '/api/auth/factors/passkeys/:passkey',
    summary: 'Remove a passkey',
    permission: 'self:write',
    // It takes a factor away.
    reauthenticate: true,
    params,
    status: 204,
    errors: { 409: LAST },
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/api/auth/factors/recovery-codes',
    summary: 'Make new recovery codes',
    description: 'They are in this answer only; those of before work no more.',
    permission: 'self:write',
    // It shows ways in.
    reauthenticate: true,
    body: emptyBody,
    answer: z.object({ recovery_codes: z.array(z.string()) }),
    errors: { 409: 'There is no second factor to recover.' },
  },
});
