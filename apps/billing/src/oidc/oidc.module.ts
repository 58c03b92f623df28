import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { OidcController } from './oidc.controller.ts';

@Module({
  imports: [AuthModule],
  controllers: [OidcController],
})
export class OidcModule {}
