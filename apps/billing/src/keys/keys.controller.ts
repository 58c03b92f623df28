import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { formatUsd } from '@tollgate/money';
import { httpError } from '@tollgate/platform';
import { z } from 'zod';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import type { ApiKeyEntity } from './api-key.entity.ts';
import { type ChangeKey, changeKeyBody, type CreateKey, createKeyBody } from './key-bodies.ts';
import { KeysService } from './keys.service.ts';

const listQuery = z.object({
  account_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

@Controller('api/keys')
@UseGuards(SignedInGuard)
export class KeysController {
  constructor(@Inject(KeysService) private readonly keys: KeysService) {}

  @Post()
  async create(
    @Req() request: SignedInRequest,
    @Body({ schema: createKeyBody }) body: CreateKey,
  ): Promise<object> {
    const { key, entity } = await this.keys.create(request.person, body);
    return { key, ...shown(entity) };
  }

  @Get()
  async list(
    @Req() request: SignedInRequest,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<object> {
    const { items, total } = await this.keys.list(request.person, {
      ...(query.account_id === undefined ? {} : { accountId: query.account_id }),
      limit: query.limit,
      offset: query.offset,
    });
    return { items: items.map(shown), total };
  }

  @Patch(':id')
  async change(
    @Req() request: SignedInRequest,
    @Param('id') id: string,
    @Body({ schema: changeKeyBody }) body: ChangeKey,
  ): Promise<object> {
    return shown(await this.keys.change(request.person, idOf(id), body));
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Req() request: SignedInRequest, @Param('id') id: string): Promise<void> {
    return this.keys.remove(request.person, idOf(id));
  }
}

function idOf(text: string): string {
  if (!z.uuid().safeParse(text).success) throw httpError(404, 'There is no such key.', 'id');
  return text;
}

/** A key as lists show it: recognisable, not usable. */
const shown = (key: ApiKeyEntity) => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  masked: key.masked,
  group: key.group,
  status: key.status,
  expires_at: key.expiresAt?.toISOString() ?? null,
  budget_usd: key.budgetPico === null ? null : formatUsd(BigInt(key.budgetPico)),
  spent_usd: formatUsd(BigInt(key.spentPico)),
  limits: { requests_per_minute: key.requestsPerMinute, tokens_per_minute: key.tokensPerMinute },
  strict: key.strict,
  created_at: key.createdAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});
