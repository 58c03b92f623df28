import { Module } from '@nestjs/common';
import { AccountsController } from './accounts.controller.ts';
import { AccountsService } from './accounts.service.ts';
import { UsersService } from './users.service.ts';

@Module({
  controllers: [AccountsController],
  providers: [AccountsService, UsersService],
  exports: [UsersService],
})
export class AccountsModule {}
