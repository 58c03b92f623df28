import { z } from 'zod';

/** A span that somebody else goes on from, in the form of the header of this name. */
export const traceparentSchema = z.string().regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
