import { z } from 'zod';
import { email, newPassword, personName, plainText } from './fields.ts';
import { defineResource, PUBLIC } from './route.ts';
import { ENTER_ERRORS, enteredAnswer, SECOND_STEP, TOO_MANY } from './sign-in.ts';

/** The first owner of a deployment that has none. */
export const setup = defineResource({
  getSetup: {
    method: 'GET',
    path: '/api/setup',
    summary: 'Say whether this deployment still needs an owner',
    permission: PUBLIC,
    answer: z.object({ needed: z.boolean() }),
    errors: TOO_MANY,
  },
  setUp: {
    method: 'POST',
    path: '/api/setup',
    summary: 'Make the first account and its owner',
    description: 'It signs the owner in, and is done once.',
    permission: PUBLIC,
    body: z
      .strictObject({
        token: z
          .string()
          .min(1)
          .max(1_024)
          .meta({ description: 'SETUP_TOKEN, or what the log of billing says' }),
        account_name: plainText(100),
        name: personName,
        email,
        password: newPassword,
      })
      .meta({
        examples: [
          {
            token: 'Rm9yZ2V0IG1lIG5vdCwgZm9yIEkgYW0gYW4gZXhhbXBsZQ',
            account_name: 'Acme',
            name: 'Grace Hopper',
            email: 'grace@example.com',
            password: 'correct horse battery staple',
          },
        ],
      }),
    status: 201,
    otherSuccess: SECOND_STEP,
    answer: enteredAnswer,
    errors: {
      ...ENTER_ERRORS,
      403: 'This is not the set-up token.',
      409: 'There is an owner already, or somebody with this e-mail address.',
    },
  },
});
