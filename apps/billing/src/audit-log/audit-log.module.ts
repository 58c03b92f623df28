import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditLogController } from './audit-log.controller.ts';
import { AuditedChanges } from './audited-changes.interceptor.ts';

@Module({
  controllers: [AuditLogController],
  providers: [{ provide: APP_INTERCEPTOR, useClass: AuditedChanges }],
})
export class AuditLogModule {}
