import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { Session } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { Allow, AllowAnybody, requireSameSite } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { idOf } from '../accounts/id-of.ts';
import { AccountEntity } from '../accounts/account.entity.ts';
import { type SecondStep, SignIns } from '../auth/sign-ins.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { countTry, triesOfClient } from '../auth/tries.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { InvitesService } from './invites.service.ts';
import { type OneTimeLink, openInvites, readLink } from './one-time-links.ts';
import {
  type InviteBody,
  inviteBody,
  linkBody,
  resetLinkBody,
  type UseLinkBody,
  useLinkBody,
} from './person-bodies.ts';

/** Links that owners and admins make. */
@Controller('api/accounts/:id')
@UseGuards(SignedInGuard)
export class InvitesController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(InvitesService) private readonly invites: InvitesService,
  ) {}

  /** The invitations that can still be accepted. */
  @Get('invites')
  @Allow('members:write')
  async list(@Param('id') id: string): Promise<object> {
    return { items: (await openInvites(this.database, idOf(id, 'account'))).map(shown) };
  }

  /** Invites somebody by a link, which is in this answer only. An earlier one for that address works no more. */
  @Post('invites')
  @Allow('members:write')
  async invite(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Body({ schema: inviteBody }) body: InviteBody,
  ): Promise<object> {
    const { link, token } = await this.invites.invite(person, idOf(id, 'account'), body);
    return { ...shown(link), token, path: linkPath(token) };
  }

  @Delete('invites/:invite')
  @Allow('members:write')
  @HttpCode(204)
  revoke(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Param('invite') invite: string,
  ): Promise<void> {
    return this.invites.revoke(person, idOf(id, 'account'), idOf(invite, 'invitation'));
  }

  /** A link with which that person sets a new password, within a day. */
  @Post('users/:user/password-link')
  @Allow('members:write')
  async resetLink(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Param('user') user: string,
    @Body({ schema: resetLinkBody }) _body: z.infer<typeof resetLinkBody>,
  ): Promise<object> {
    const { link, token } = await this.invites.resetLink(person, idOf(id, 'account'), idOf(user, 'person'));
    return { ...shown(link), token, path: linkPath(token) };
  }
}

/** What somebody with a link may do, whoever they are. */
@Controller('api/links')
export class LinksController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(InvitesService) private readonly invites: InvitesService,
    @Inject(SignIns) private readonly signIns: SignIns,
  ) {}

  /** What a link is for. */
  @Post('look')
  @AllowAnybody()
  @HttpCode(200)
  async look(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: linkBody }) { token }: z.infer<typeof linkBody>,
  ): Promise<object> {
    requireSameSite(request);
    await countTry(this.limiter, reply, [triesOfClient('link', request)], 'open a link');
    const link = await readLink(this.database, token);
    const account = await this.database.getRepository(AccountEntity).findOneBy({ id: link.account_id });
    return {
      kind: link.role === null ? 'reset' : 'invite',
      email: link.email,
      role: link.role,
      account_name: account?.name ?? '',
      invited_by: link.created_by,
      expires_at: link.expires_at.toISOString(),
    };
  }

  /** Uses a link up, and signs the person in. */
  @Post('use')
  @AllowAnybody()
  @HttpCode(200)
  async use(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: useLinkBody }) body: UseLinkBody,
  ): Promise<Session | SecondStep> {
    requireSameSite(request);
    await countTry(this.limiter, reply, [triesOfClient('link', request)], 'use a link');
    const user = await this.invites.use(body);
    return this.signIns.enter(request, reply, user, { facts: { by: 'link' } });
  }
}

/** A browser sends nobody what stands behind the `#`: the token is in no log of a proxy, and in no Referer. */
const linkPath = (token: string): string => `/invite#${token}`;

const shown = (link: OneTimeLink) => ({
  id: link.id,
  account_id: link.account_id,
  email: link.email,
  role: link.role,
  created_by: link.created_by,
  created_at: link.created_at.toISOString(),
  expires_at: link.expires_at.toISOString(),
});
