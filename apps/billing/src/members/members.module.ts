import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { InvitesController, LinksController } from './invites.controller.ts';
import { InvitesService } from './invites.service.ts';

/** Links that let people in. */
@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [InvitesController, LinksController],
  providers: [InvitesService],
})
export class MembersModule {}
