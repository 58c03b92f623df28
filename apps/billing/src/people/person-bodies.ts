import { ROLES } from '@tollgate/vocabulary';
import { z } from 'zod';
import { passwordField } from '../accounts/account-bodies.ts';
import { plainText } from '../ledger/operation-bodies.ts';

const nameField = plainText(100).meta({ examples: ['Grace Hopper'] });
const tokenField = z.string().min(20).max(200);
const TOKEN = 'Rm9yZ2V0IG1lIG5vdCwgZm9yIEkgYW0gYW4gZXhhbXBsZQ';

export const inviteBody = z
  .strictObject({ email: z.email().max(320), role: z.enum(ROLES).default('member') })
  .meta({ examples: [{ email: 'grace@example.com', role: 'member' }] });
export type InviteBody = z.infer<typeof inviteBody>;

/** A link for a new password needs nothing but whom it is for. */
export const resetLinkBody = z.strictObject({}).meta({ examples: [{}] });

export const linkBody = z.strictObject({ token: tokenField }).meta({ examples: [{ token: TOKEN }] });

export const useLinkBody = z
  .strictObject({ token: tokenField, name: nameField.optional(), password: passwordField })
  .meta({ examples: [{ token: TOKEN, name: 'Grace Hopper', password: 'correct horse battery staple' }] });
export type UseLinkBody = z.infer<typeof useLinkBody>;

export const ownPasswordBody = z
  .strictObject({ current_password: z.string().min(1).max(1_024), password: passwordField })
  .meta({
    examples: [{ current_password: 'the one before it', password: 'correct horse battery staple' }],
  });

export const profileBody = z.strictObject({ name: nameField }).meta({ examples: [{ name: 'Grace Hopper' }] });

export const setupBody = z
  .strictObject({
    token: z.string().min(1).max(1_024).meta({ description: 'SETUP_TOKEN, or what the log of billing says' }),
    account_name: plainText(100),
    name: nameField,
    email: z.email().max(320),
    password: passwordField,
  })
  .meta({
    examples: [
      {
        token: TOKEN,
        account_name: 'Acme',
        name: 'Grace Hopper',
        email: 'grace@example.com',
        password: 'correct horse battery staple',
      },
    ],
  });
export type SetupBody = z.infer<typeof setupBody>;
