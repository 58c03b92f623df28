import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.ts';
import { AccountsModule } from './accounts/accounts.module.ts';
import { AuditLogModule } from './audit-log/audit-log.module.ts';
import { AuthModule } from './auth/auth.module.ts';
import { ExportsModule } from './exports/exports.module.ts';
import { FactorsModule } from './factors/factors.module.ts';
import { type Infrastructure, InfrastructureModule } from './infrastructure.module.ts';
import { KeysModule } from './keys/keys.module.ts';
import { LedgerModule } from './ledger/ledger.module.ts';
import { MembersModule } from './members/members.module.ts';
import { MessagesController } from './messages.controller.ts';
import { OidcModule } from './oidc/oidc.module.ts';
import { PeriodsModule } from './periods/periods.module.ts';
import { ReconciliationModule } from './reconciliation/reconciliation.module.ts';
import { RedemptionModule } from './redemption/redemption.module.ts';
import { RequestsModule } from './requests/requests.module.ts';
import { RerateModule } from './rerate/rerate.module.ts';
import { SetupModule } from './setup/setup.module.ts';
import { StatementsModule } from './statements/statements.module.ts';
import { SystemModule } from './system/system.module.ts';
import { UsageModule } from './usage/usage.module.ts';

@Module({})
export class BillingModule {
  static with(opened: Infrastructure): DynamicModule {
    return {
      module: BillingModule,
      imports: [
        InfrastructureModule.with(opened),
        AccessModule,
        AuthModule,
        FactorsModule,
        OidcModule,
        SetupModule,
        MembersModule,
        AccountsModule,
        AuditLogModule,
        KeysModule,
        UsageModule,
        RequestsModule,
        LedgerModule,
        RedemptionModule,
        PeriodsModule,
        StatementsModule,
        ReconciliationModule,
        ExportsModule,
        RerateModule,
        SystemModule,
      ],
      controllers: [MessagesController],
    };
  }
}
