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
import { Allow, httpError } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { DATABASE } from '../provided.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import type { ApiKeyEntity } from './api-key.entity.ts';
import { describeKey } from './described-key.ts';
import { type FormerSecret, lastSecrets } from './former-secrets.ts';
import {
  type ChangeKey,
  changeKeyBody,
  type CreateKey,
  createKeyBody,
  type ImportKey,
  importKeyBody,
  rotateKeyBody,
} from './key-bodies.ts';
import { type KeySpend, spendOf } from './key-spend.ts';
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
  constructor(
    @Inject(KeysService) private readonly keys: KeysService,
    @Inject(DATABASE) private readonly database: DataSource,
  ) {}

  @Post()
  @Allow('keys:write')
  async create(
    @Req() request: SignedInRequest,
    @Body({ schema: createKeyBody }) body: CreateKey,
  ): Promise<object> {
    const { key, entity } = await this.keys.create(request.person, body);
    return { key, ...(await this.#shown([entity]))[0] };
  }

  /** Takes over a key of another relay as it is: for owners. Its clients go on with it. */
  @Post('import')
  @Allow('keys:import')
  async importKey(
    @Req() request: SignedInRequest,
    @Body({ schema: importKeyBody }) body: ImportKey,
  ): Promise<object> {
    const [shown = {}] = await this.#shown([await this.keys.importKey(request.person, body)]);
    return shown;
  }

  @Get()
  @Allow('keys:read')
  async list(
    @Req() request: SignedInRequest,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<object> {
    const { items, total } = await this.keys.list(request.person, {
      ...(query.account_id === undefined ? {} : { accountId: query.account_id }),
      limit: query.limit,
      offset: query.offset,
    });
    return { items: await this.#shown(items), total };
  }

  @Patch(':id')
  @Allow('keys:write')
  async change(
    @Req() request: SignedInRequest,
    @Param('id') id: string,
    @Body({ schema: changeKeyBody }) body: ChangeKey,
  ): Promise<object> {
    const [shown = {}] = await this.#shown([await this.keys.change(request.person, idOf(id), body)]);
    return shown;
  }

  /** Makes a new secret, which is in this answer and nowhere else; the one before works until the overlap is over. */
  @Post(':id/rotate')
  @Allow('keys:write')
  @HttpCode(200)
  async rotate(
    @Req() request: SignedInRequest,
    @Param('id') id: string,
    @Body({ schema: rotateKeyBody }) body: z.infer<typeof rotateKeyBody>,
  ): Promise<object> {
    const { key, entity } = await this.keys.rotate(request.person, idOf(id), body.overlap_s);
    return { key, ...(await this.#shown([entity]))[0] };
  }

  @Delete(':id')
  @Allow('keys:write')
  @HttpCode(204)
  remove(@Req() request: SignedInRequest, @Param('id') id: string): Promise<void> {
    return this.keys.remove(request.person, idOf(id));
  }

  async #shown(keys: readonly ApiKeyEntity[]): Promise<object[]> {
    const [spend, former] = await Promise.all([
      spendOf(this.database, keys),
      lastSecrets(
        this.database,
        keys.map(({ id }) => id),
      ),
    ]);
    return keys.map((key) => shown(key, spend.get(key.id) ?? NOTHING, former.get(key.id)));
  }
}

function idOf(text: string): string {
  if (!z.uuid().safeParse(text).success) throw httpError(404, 'There is no such key.', 'id');
  return text;
}

const NOTHING: KeySpend = { total: 0n, daily: 0n, monthly: 0n };

/** A key as lists show it. */
const shown = (key: ApiKeyEntity, spend: KeySpend, former: FormerSecret | undefined) => ({
  id: key.id,
  account_id: key.accountId,
  ...describeKey(key),
  spent: {
    total_usd: formatUsd(spend.total),
    today_usd: formatUsd(spend.daily),
    this_month_usd: formatUsd(spend.monthly),
  },
  /** The secret before this one, and how long it works. */
  rotated_from: former ? { masked: former.masked, works_until: former.worksUntil.toISOString() } : null,
  created_at: key.createdAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});
