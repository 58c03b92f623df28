import { isAllowed, ROLES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { toIdSchema, timestamp } from './common.ts';
import { email, emptyBody, newPassword, personName, roleAnswer, statusAnswer } from './fields.ts';
import { defineResource, PUBLIC } from './route.ts';
import { ENTER_ERRORS, enteredAnswer, SECOND_STEP, TOO_MANY } from './sign-in.ts';

/** Roles that act beyond their own account. */
const PRIVILEGED = ROLES.filter((role) => isAllowed(role, 'accounts:read-all'));

/** Whoever is made, or made to be, somebody who acts beyond an own account. */
const namesOperator = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'role' in body &&
  PRIVILEGED.some((role) => role === body.role);

const member = z
  .object({
    id: z.uuid(),
    account_id: z.uuid(),
    email: z.string(),
    name: z.string(),
    role: roleAnswer,
    status: statusAnswer.meta({ description: 'Who is disabled cannot sign in' }),
    last_seen_at: timestamp.nullable().meta({ description: 'Of who has a session' }),
    created_at: timestamp,
  })
  .meta({ id: 'Member' });

/** A link that lets somebody in, or sets a new password. */
const link = z.object({
  id: z.uuid(),
  account_id: z.uuid(),
  email: z.string(),
  role: roleAnswer.nullable().meta({ description: 'Of an invitation; null where it sets a new password' }),
  created_by: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
});
const madeLink = link
  .extend({
    token: z.string(),
    path: z.string().meta({ description: 'Of the console; with the token behind the `#`' }),
  })
  .meta({ id: 'MadeLink', description: 'The only answer that holds the link itself' });

const params = z.strictObject({ id: toIdSchema('account') });
const memberParams = z.strictObject({ id: toIdSchema('account'), user: toIdSchema('person') });
const inviteParams = z.strictObject({ id: toIdSchema('account'), invite: toIdSchema('invitation') });
const LAST_OWNER = 'It would shut out whoever asks, or the last owner.';
const HERE = 'Somebody with this e-mail address is here already.';

/** The people of an account. Owners are made, changed and removed by owners only. */
export const members = defineResource({
  listMembers: {
    method: 'GET',
    path: '/api/accounts/:id/users',
    summary: 'List the people of an account',
    permission: 'members:write',
    params,
    answer: z.object({ items: z.array(member) }),
  },
  createMember: {
    method: 'POST',
    path: '/api/accounts/:id/users',
    summary: 'Make a person of an account',
    permission: 'members:write',
    // It makes an operator.
    reauthenticate: namesOperator,
    params,
    body: z.strictObject({ email, password: newPassword, role: z.enum(ROLES).default('member') }).meta({
      examples: [{ email: 'grace@example.com', password: 'correct horse battery staple', role: 'member' }],
    }),
    status: 201,
    answer: member,
    errors: { 409: HERE },
  },
  changeMember: {
    method: 'PATCH',
    path: '/api/accounts/:id/users/:user',
    summary: 'Change the role of a person, or whether they may sign in',
    description: 'Who is disabled is signed out everywhere.',
    permission: 'members:write',
    // It makes an operator.
    reauthenticate: namesOperator,
    params: memberParams,
    body: z
      .strictObject({
        role: z.enum(ROLES),
        status: statusAnswer.meta({ description: 'Who is disabled cannot sign in' }),
      })
      .partial()
      .meta({ examples: [{ role: 'finance' }] }),
    answer: member,
    errors: { 409: LAST_OWNER },
  },
  removeMember: {
    method: 'DELETE',
    path: '/api/accounts/:id/users/:user',
    summary: 'Remove a person',
    permission: 'members:write',
    reauthenticate: true,
    params: memberParams,
    status: 204,
    errors: { 409: LAST_OWNER },
  },
  setMemberPassword: {
    method: 'PUT',
    path: '/api/accounts/:id/users/:user/password',
    summary: 'Set a new password of a person',
    description: 'It signs that person out everywhere.',
    permission: 'members:write',
    // It takes another's way in.
    reauthenticate: true,
    params: memberParams,
    body: z
      .strictObject({ password: newPassword })
      .meta({ examples: [{ password: 'correct horse battery staple' }] }),
    status: 204,
  },
  resetFactors: {
    method: 'DELETE',
    path: '/api/accounts/:id/users/:user/factors',
    summary: 'Take the second factors of a person away',
    description: 'It signs them out everywhere; their password is the one they had.',
    permission: 'members:write',
    // It takes another's factors away.
    reauthenticate: true,
    params: memberParams,
    status: 204,
    errors: { 409: 'One’s own factors are changed on the security page.' },
  },
  makePasswordLink: {
    method: 'POST',
    path: '/api/accounts/:id/users/:user/password-link',
    summary: 'Make a link with which a person sets a new password',
    description: 'It is good for a day. The password they have works until they use it.',
    permission: 'members:write',
    // It gives another's way in.
    reauthenticate: true,
    params: memberParams,
    body: emptyBody,
    status: 201,
    answer: madeLink,
    errors: { 409: 'The person is disabled, or the account is.' },
  },
  listInvites: {
    method: 'GET',
    path: '/api/accounts/:id/invites',
    summary: 'List the invitations that can still be accepted',
    permission: 'members:write',
    params,
    answer: z.object({ items: z.array(link.extend({ role: roleAnswer }).meta({ id: 'Invite' })) }),
  },
  createInvite: {
    method: 'POST',
    path: '/api/accounts/:id/invites',
    summary: 'Invite somebody by a link',
    description: 'The link is in this answer only. An earlier one for that address works no more.',
    permission: 'members:write',
    // It makes an operator.
    reauthenticate: namesOperator,
    params,
    body: z
      .strictObject({ email, role: z.enum(ROLES).default('member') })
      .meta({ examples: [{ email: 'grace@example.com', role: 'member' }] }),
    status: 201,
    answer: madeLink,
    errors: { 409: `${HERE} Or the account is disabled.` },
  },
  revokeInvite: {
    method: 'DELETE',
    path: '/api/accounts/:id/invites/:invite',
    summary: 'Revoke an invitation',
    permission: 'members:write',
    params: inviteParams,
    status: 204,
  },
});

const token = z.string().min(20).max(200);
const TOKEN = 'Rm9yZ2V0IG1lIG5vdCwgZm9yIEkgYW0gYW4gZXhhbXBsZQ';
const LINK_ERRORS = {
  404: 'The link is not complete.',
  410: 'The link works no more.',
  ...TOO_MANY,
} as const;

/** What somebody with a link may do, whoever they are. */
export const links = defineResource({
  getLink: {
    method: 'POST',
    path: '/api/links/look',
    summary: 'Say what a link is for',
    permission: PUBLIC,
    audited: false,
    body: z.strictObject({ token }).meta({ examples: [{ token: TOKEN }] }),
    answer: z
      .object({
        kind: z.enum(['invite', 'reset']),
        email: z.string(),
        role: roleAnswer.nullable(),
        account_name: z.string(),
        invited_by: z.string(),
        expires_at: timestamp,
      })
      .meta({ id: 'OpenedLink' }),
    errors: LINK_ERRORS,
  },
  takeLink: {
    method: 'POST',
    path: '/api/links/use',
    summary: 'Use a link up, and sign in',
    permission: PUBLIC,
    body: z
      .strictObject({ token, name: personName.optional(), password: newPassword })
      .meta({ examples: [{ token: TOKEN, name: 'Grace Hopper', password: 'correct horse battery staple' }] }),
    otherSuccess: SECOND_STEP,
    answer: enteredAnswer,
    errors: { ...ENTER_ERRORS, ...LINK_ERRORS, 409: HERE },
  },
});
