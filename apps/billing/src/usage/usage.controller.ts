import { Controller, Get, Inject, Query, Req, UseGuards } from '@nestjs/common';
import { modelSchema } from '@tollgate/contracts';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { accountFor } from '../accounts/account-scope.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { DATABASE } from '../provided.ts';
import { usageLog, type UsagePage } from './usage-log.ts';

const time = z.iso.datetime({ offset: true });

const usageQuery = z.object({
  account_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
  key_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000002'] }),
  model: modelSchema.shape.name.optional().meta({ examples: ['acme-large'] }),
  request_id: z
    .string()
    .min(1)
    .max(200)
    .refine((id) => !id.includes('\0'), 'must not hold the character NUL')
    .optional()
    .meta({
      description: 'One request, by its x-request-id',
      examples: ['req_0198f1c27d1e70008000000000000003'],
    }),
  from: time.optional().meta({ description: 'Inclusive', examples: ['2026-11-01T00:00:00Z'] }),
  to: time.optional().meta({ description: 'Exclusive', examples: ['2026-12-01T00:00:00Z'] }),
  cursor: z.string().max(400).optional().meta({ description: '`next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

@Controller('api/usage')
@UseGuards(SignedInGuard)
export class UsageController {
  constructor(@Inject(DATABASE) private readonly database: DataSource) {}

  /** Every relayed request with its tokens and its cost, newest first. */
  @Get()
  list(
    @Req() request: SignedInRequest,
    @Query({ schema: usageQuery }) query: z.infer<typeof usageQuery>,
  ): Promise<UsagePage> {
    const { account_id, key_id, request_id, ...rest } = query;
    return usageLog(this.database, {
      ...rest,
      accountId: accountFor(request.person, account_id),
      keyId: key_id,
      requestId: request_id,
    });
  }
}
