import { z } from 'zod';

export const ROLES = ['owner', 'admin', 'finance', 'member'] as const;

/** Who is signed in to the console. */
export const sessionSchema = z.strictObject({
  user_id: z.uuid(),
  account_id: z.uuid(),
  email: z.email(),
  role: z.enum(ROLES),
});
export type Session = z.infer<typeof sessionSchema>;
