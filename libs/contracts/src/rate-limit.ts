import { z } from 'zod';

/** Requests and tokens a minute, and requests at once; null or absent means no limit of that kind. */
export const rateLimitSchema = z.strictObject({
  requests_per_minute: z.int().positive().nullish(),
  tokens_per_minute: z.int().positive().nullish(),
  concurrent_requests: z.int().positive().nullish(),
});
export type RateLimit = z.infer<typeof rateLimitSchema>;
