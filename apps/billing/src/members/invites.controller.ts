import { Controller, Inject, Req, Res } from '@nestjs/common';
import { links, members, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { SignIns } from '../auth/sign-ins.ts';
import { ASKED_PER_MINUTE, countTry, triesOfClient } from '../auth/tries.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { InvitesService } from './invites.service.ts';
import { type OneTimeLink, openInvites, readLink } from './one-time-links.ts';

/** Links that owners and admins make. */
@Controller()
export class InvitesController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(InvitesService) private readonly invites: InvitesService,
  ) {}

  @Handles(members.listInvites)
  async list(@Input() { params }: RequestOf<typeof members.listInvites>) {
    const open = await openInvites(this.database, params.id);
    return { items: open.map((link) => ({ ...describeLink(link), role: link.role })) };
  }

  @Handles(members.createInvite)
  async invite(@Input() { params, body }: RequestOf<typeof members.createInvite>, @Caller() caller: Session) {
    const { link, token } = await this.invites.invite(caller, params.id, body);
    return { ...describeLink(link), token, path: linkPath(token) };
  }

  @Handles(members.revokeInvite)
  revoke(@Input() { params }: RequestOf<typeof members.revokeInvite>, @Caller() caller: Session) {
    return this.invites.revoke(caller, params.id, params.invite);
  }

  @Handles(members.makePasswordLink)
  async resetLink(
    @Input() { params }: RequestOf<typeof members.makePasswordLink>,
    @Caller() caller: Session,
  ) {
    const { link, token } = await this.invites.resetLink(caller, params.id, params.user);
    return { ...describeLink(link), token, path: linkPath(token) };
  }
}

/** What somebody with a link may do, whoever they are. */
@Controller()
export class LinksController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(InvitesService) private readonly invites: InvitesService,
    @Inject(SignIns) private readonly signIns: SignIns,
  ) {}

  @Handles(links.getLink)
  async look(
    @Input() { body }: RequestOf<typeof links.getLink>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const looked = triesOfClient('link-looked', request, ASKED_PER_MINUTE);
    await countTry(this.limiter, reply, [looked], 'open a link');
    const link = await readLink(this.database, body.token);
    const account = await this.database.getRepository(AccountEntity).findOneBy({ id: link.account_id });
    return {
      kind: link.role === null ? ('reset' as const) : ('invite' as const),
      email: link.email,
      role: link.role,
      account_name: account?.name ?? '',
      invited_by: link.created_by,
      expires_at: link.expires_at.toISOString(),
    };
  }

  @Handles(links.takeLink)
  async use(
    @Input() { body }: RequestOf<typeof links.takeLink>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await countTry(this.limiter, reply, [triesOfClient('link', request)], 'use a link');
    const user = await this.invites.use(body);
    return this.signIns.enter(request, reply, user, { facts: { by: 'link' } });
  }
}

/** A browser sends nobody what stands behind the `#`: the token is in no log of a proxy, and in no Referer. */
const linkPath = (token: string): string => `/invite#${token}`;

const describeLink = (link: OneTimeLink) => ({
  id: link.id,
  account_id: link.account_id,
  email: link.email,
  role: link.role,
  created_by: link.created_by,
  created_at: link.created_at.toISOString(),
  expires_at: link.expires_at.toISOString(),
});
