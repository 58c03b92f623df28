import { ROLES } from '@tollgate/vocabulary';
import { z } from 'zod';

/** Who is signed in to the console. */
export const sessionSchema = z.strictObject({
  user_id: z.uuid(),
  account_id: z.uuid(),
  email: z.email(),
  role: z.enum(ROLES),
});
export type Session = z.infer<typeof sessionSchema>;
