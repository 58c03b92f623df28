import { sessionSchema } from '@tollgate/contracts';
import { FIELD_RULES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { email, emptyBody, roleAnswer } from './fields.ts';
import { defineResource, PUBLIC } from './route.ts';
import { passkeyRequest, usePasskeyBody } from './webauthn.ts';

export const factorCode = z.string().min(6).max(64).meta({ description: 'Of the app, or a recovery code' });
export const codeBody = z.strictObject({ code: factorCode }).meta({ examples: [{ code: '123456' }] });

export const sessionAnswer = z
  .object({ ...sessionSchema.shape, email: z.string(), role: roleAnswer })
  .meta({ id: 'Session', description: 'Who is signed in' });

/** What the console goes by: the clock of a person is the account's. */
const signedIn = sessionAnswer
  .extend({ time_zone: z.string().meta({ description: "The account's", examples: ['Asia/Shanghai'] }) })
  .meta({ id: 'SignedIn' });

/** How somebody shows that they are who the password says. */
export const factorMethod = z.enum(['totp', 'passkey', 'recovery_code']).meta({ id: 'FactorMethod' });

const secondStep = z
  .object({
    second_factor: z
      .enum(['verify', 'enrol'])
      .meta({ description: 'verify: show the second factor; enrol: get one, which the role needs' }),
    methods: z.array(factorMethod).meta({ description: 'How it can be shown, where there is one' }),
  })
  .meta({ id: 'SecondStep', description: 'Who has shown the password, and is not signed in yet' });

/** The answer to who has shown the first thing; with status 202 where a second is still needed. */
export const enteredAnswer = z.union([sessionAnswer, secondStep]);

export const TOO_MANY = { 429: 'There were too many tries: `Retry-After` says when to come back.' } as const;
export const ENTER_ERRORS = {
  403: 'The person is disabled here, or the account is.',
  ...TOO_MANY,
} as const;
export const SECOND_STEP = { 202: 'The second factor is still needed; nobody is signed in.' } as const;

const WITHOUT_STEP = { 401: 'Nobody has shown the password.' } as const;
const WITHOUT_PASSKEYS = {
  409: 'Passkeys cannot be used at this address, or there is none.',
} as const;

export const signIn = defineResource({
  signIn: {
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with e-mail address and password',
    permission: PUBLIC,
    body: z
      .strictObject({ email, password: z.string().min(1).max(1_024) })
      .meta({ examples: [{ email: 'owner@example.com', password: 'correct horse battery staple' }] }),
    otherSuccess: SECOND_STEP,
    answer: enteredAnswer,
    errors: { 401: 'The e-mail address or the password is wrong.', ...ENTER_ERRORS },
  },
  getSession: {
    method: 'GET',
    path: '/api/auth/session',
    summary: "Say who is signed in, and what the account's time zone is",
    permission: PUBLIC,
    answer: signedIn,
    errors: { 401: 'Nobody is signed in.' },
  },
  signOut: {
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Sign out',
    permission: PUBLIC,
    audited: false,
    status: 204,
  },
  getSecondStep: {
    method: 'GET',
    path: '/api/auth/second-factor',
    summary: 'Say what is needed of whoever has shown the password',
    permission: PUBLIC,
    answer: secondStep,
    errors: WITHOUT_STEP,
  },
  showCode: {
    method: 'POST',
    path: '/api/auth/second-factor',
    summary: 'Sign in with a code of the app, or a recovery code',
    permission: PUBLIC,
    body: codeBody,
    answer: sessionAnswer,
    errors: { ...WITHOUT_STEP, ...TOO_MANY },
  },
  askForSecondPasskey: {
    method: 'POST',
    path: '/api/auth/second-factor/passkey/options',
    summary: 'Get what the browser needs to ask for a passkey',
    permission: PUBLIC,
    audited: false,
    body: emptyBody,
    answer: passkeyRequest,
    errors: { ...WITHOUT_STEP, ...WITHOUT_PASSKEYS },
  },
  showSecondPasskey: {
    method: 'POST',
    path: '/api/auth/second-factor/passkey',
    summary: 'Sign in with the answer of a passkey',
    permission: PUBLIC,
    body: usePasskeyBody,
    answer: sessionAnswer,
    errors: { ...WITHOUT_STEP, ...WITHOUT_PASSKEYS, ...TOO_MANY },
  },
  getPasskeySite: {
    method: 'GET',
    path: '/api/auth/passkey',
    summary: 'Say where passkeys can be used',
    permission: PUBLIC,
    answer: z.object({ origin: z.string().nullable().meta({ description: 'Null where they cannot be' }) }),
  },
  askForPasskey: {
    method: 'POST',
    path: '/api/auth/passkey/options',
    summary: 'Get what the browser needs to ask for any passkey of this site',
    description: 'Without a name or a password.',
    permission: PUBLIC,
    audited: false,
    body: emptyBody,
    answer: passkeyRequest,
    errors: { ...WITHOUT_PASSKEYS, ...TOO_MANY },
  },
  signInWithPasskey: {
    method: 'POST',
    path: '/api/auth/passkey',
    summary: 'Sign in with a passkey alone',
    description: 'Its device must have checked who holds it.',
    permission: PUBLIC,
    body: usePasskeyBody,
    otherSuccess: SECOND_STEP,
    answer: enteredAnswer,
    errors: { 401: 'No passkey of anybody here.', ...ENTER_ERRORS, ...WITHOUT_PASSKEYS },
  },
  getProvider: {
    method: 'GET',
    path: '/api/auth/oidc',
    summary: 'Say whether people may sign in with a provider',
    permission: PUBLIC,
    answer: z.object({
      enabled: z.boolean(),
      name: z.string().nullable().meta({ description: 'What the provider is called' }),
    }),
  },
  departToProvider: {
    method: 'POST',
    path: '/api/auth/oidc/start',
    summary: 'Get the address to sign in with the provider at',
    permission: PUBLIC,
    audited: false,
    body: z
      .strictObject({
        next: z
          .string()
          .max(2_000)
          .regex(/^\/(?![/\\])[^\\\t\r\n]*$/, FIELD_RULES.not_a_path)
          .default('/')
          .meta({ description: 'The path of the console to go on to' }),
        again: z.enum(['yes', 'no']).default('no').meta({
          description: 'Whether the provider is to ask for the password, though it knows the person',
        }),
      })
      .meta({ examples: [{ next: '/usage' }] }),
    answer: z.object({ url: z.string() }),
    errors: {
      404: 'No provider is set.',
      ...TOO_MANY,
      503: 'The provider does not answer.',
    },
  },
  returnFromProvider: {
    method: 'GET',
    path: '/api/auth/oidc/callback',
    summary: 'Take a browser back from the provider',
    description: 'The provider sends the browser here, and this sends it on to the console.',
    permission: PUBLIC,
    status: 302,
    errors: { 404: 'No provider is set.' },
  },
});
