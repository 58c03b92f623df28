import { CreateAccounts1764000001000 } from './1-accounts.ts';
import { CreateLedger1764000002000 } from './2-ledger.ts';
import { CreateUsage1764000003000 } from './3-usage.ts';
import { CreateCredit1764000004000 } from './4-credit.ts';
import { CreateRedemption1764000005000 } from './5-redemption.ts';
import { CreatePeriods1764000006000 } from './6-periods.ts';
import { CreateExports1764000007000 } from './7-exports.ts';
import { CreateGuardRails1764000008000 } from './8-guard-rails.ts';
import { CreateUsageHours1764000009000 } from './9-usage-hours.ts';
import { CreatePeople1764000010000 } from './10-people.ts';
import { CreateExportSchedules1764000020000 } from './20-export-schedules.ts';
import { RemoveOldExports1764000028000 } from './28-export-retention.ts';
import { AddTemporaryKeys1764000030000 } from './30-temporary-keys.ts';
import { CreateAccountHours1764000031000 } from './31-account-hours.ts';
import { CreateUsageReviews1764000040000 } from './40-usage-reviews.ts';
import { CreateMonthSums1764000050000 } from './50-month-sums.ts';
import { AddWaitingUsage1764000051000 } from './51-waiting-usage.ts';
import { AddClaimedTimes1764000052000 } from './52-claimed-times.ts';
import { AddMakersOfLinks1764000070000 } from './70-rights-of-links.ts';
import { AddAllowedGroups1764000071000 } from './71-allowed-groups.ts';
import { CreateSecondFactors1764000080000 } from './80-second-factors.ts';
import { AdmitServiceRole1764000090000 } from './90-service-role.ts';
import { CreateLostAttempts1764000100000 } from './100-lost-attempts.ts';
import { ValidateLedgerKinds1764000101000 } from './101-ledger-kinds.ts';

/** In the order in which they are run. */
export const MIGRATIONS = [
  CreateAccounts1764000001000,
  CreateLedger1764000002000,
  CreateUsage1764000003000,
  CreateCredit1764000004000,
  CreateRedemption1764000005000,
  CreatePeriods1764000006000,
  CreateExports1764000007000,
  CreateGuardRails1764000008000,
  CreateUsageHours1764000009000,
  CreatePeople1764000010000,
  CreateExportSchedules1764000020000,
  RemoveOldExports1764000028000,
  AddTemporaryKeys1764000030000,
  CreateAccountHours1764000031000,
  CreateUsageReviews1764000040000,
  CreateMonthSums1764000050000,
  AddWaitingUsage1764000051000,
  AddClaimedTimes1764000052000,
  AddMakersOfLinks1764000070000,
  AddAllowedGroups1764000071000,
  CreateSecondFactors1764000080000,
  AdmitServiceRole1764000090000,
  CreateLostAttempts1764000100000,
  ValidateLedgerKinds1764000101000,
];
