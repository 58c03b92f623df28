import { Controller, Inject, Req, Res } from '@nestjs/common';
import { type RequestOf, setup } from '@tollgate/api';
import type { ResilientLimiter } from '@tollgate/limits';
import { Handles, httpError, Input } from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource, EntityManager } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import type { UserEntity } from '../accounts/user.entity.ts';
import { insertUser } from '../accounts/users.service.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { audit } from '../audit-log/audit.ts';
import { requireUncommonPassword } from '../auth/common-passwords.ts';
import { hashPassword } from '../auth/password.ts';
import { SignIns } from '../auth/sign-ins.ts';
import { ASKED_PER_MINUTE, countTry, triesOfClient } from '../auth/tries.ts';
import { DATABASE, LIMITER, SETUP_TOKEN } from '../provided.ts';
import { isSetupNeeded, isSetupToken } from './setup-tokens.ts';

/** The first owner of a deployment that has none. */
@Controller()
export class SetupController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(SignIns) private readonly signIns: SignIns,
    @Inject(SETUP_TOKEN) private readonly setToken: { readonly value: string | undefined },
  ) {}

  @Handles(setup.getSetup)
  async ask(
    @Input() _: RequestOf<typeof setup.getSetup>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const asked = triesOfClient('setup-asked', request, ASKED_PER_MINUTE);
    await countTry(this.limiter, reply, [asked], 'ask whether this is to be set up');
    return { needed: await isSetupNeeded(this.database) };
  }

  @Handles(setup.setUp)
  async setUp(
    @Input() { body }: RequestOf<typeof setup.setUp>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await countTry(this.limiter, reply, [triesOfClient('setup', request)], 'set this deployment up');
    await requireUncommonPassword(body.password, [body.email, body.name, body.account_name]);
    // A guess costs a look-up, not a hash; both are asked once more where nobody else sets up meanwhile.
    await requireSetup(this.database, body.token, this.setToken.value);
    const passwordHash = await hashPassword(body.password);
    const owner = await this.database.transaction(async (manager) => {
      await manager.query(`SELECT pg_advisory_xact_lock(hashtext('billing seed'))`);
      await requireSetup(manager, body.token, this.setToken.value);
      return makeOwner(manager, body, passwordHash);
    });
    return this.signIns.enter(request, reply, owner, { facts: { by: 'set-up' } });
  }
}

/** @throws HttpException 409 where there is an owner, 403 for a token that is not this deployment's. */
async function requireSetup(
  database: Pick<DataSource | EntityManager, 'query'>,
  token: string,
  setToken: string | undefined,
): Promise<void> {
  if (!(await isSetupNeeded(database)))
    throw httpError(409, 'This deployment has an owner already. Sign in instead.', null, 'already_set_up');
  if (!(await isSetupToken(database, token, setToken)))
    throw httpError(
      403,
      'token: this is not the set-up token of this deployment.',
      'token',
      'wrong_setup_token',
    );
}

async function makeOwner(
  manager: EntityManager,
  { account_name, name, email }: RequestOf<typeof setup.setUp>['body'],
  passwordHash: string,
): Promise<UserEntity> {
  const accountId = uuidv7();
  await manager.insert(AccountEntity, { id: accountId, name: account_name, status: 'active' });
  const owner = await insertUser(manager, { accountId, email, name, role: 'owner', passwordHash });
  await manager.query('DELETE FROM billing.setup_token');
  await audit(manager, {
    action: 'setup',
    object: `user ${owner.id}`,
    accountId,
    actor: { email, userId: owner.id, role: 'owner' },
    after: { account: account_name, email },
  });
  return owner;
}
