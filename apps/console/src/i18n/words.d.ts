import type accounts from '../locales/en/accounts.json';
import type auditLog from '../locales/en/audit-log.json';
import type catalogue from '../locales/en/catalogue.json';
import type common from '../locales/en/common.json';
import type discounts from '../locales/en/discounts.json';
import type exports from '../locales/en/exports.json';
import type finance from '../locales/en/finance.json';
import type home from '../locales/en/home.json';
import type invite from '../locales/en/invite.json';
import type keys from '../locales/en/keys.json';
import type ledger from '../locales/en/ledger.json';
import type limits from '../locales/en/limits.json';
import type margins from '../locales/en/margins.json';
import type meterKinds from '../locales/en/meter-kinds.json';
import type models from '../locales/en/models.json';
import type periods from '../locales/en/periods.json';
import type playground from '../locales/en/playground.json';
import type reconciliation from '../locales/en/reconciliation.json';
import type redeem from '../locales/en/redeem.json';
import type redemptionCodes from '../locales/en/redemption-codes.json';
import type security from '../locales/en/security.json';
import type settings from '../locales/en/settings.json';
import type setup from '../locales/en/setup.json';
import type signIn from '../locales/en/sign-in.json';
import type statements from '../locales/en/statements.json';
import type system from '../locales/en/system.json';
import type upstreams from '../locales/en/upstreams.json';
import type usage from '../locales/en/usage.json';
import type users from '../locales/en/users.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      accounts: typeof accounts;
      'audit-log': typeof auditLog;
      catalogue: typeof catalogue;
      common: typeof common;
      discounts: typeof discounts;
      exports: typeof exports;
      finance: typeof finance;
      home: typeof home;
      invite: typeof invite;
      keys: typeof keys;
      ledger: typeof ledger;
      limits: typeof limits;
      margins: typeof margins;
      'meter-kinds': typeof meterKinds;
      models: typeof models;
      periods: typeof periods;
      playground: typeof playground;
      reconciliation: typeof reconciliation;
      redeem: typeof redeem;
      'redemption-codes': typeof redemptionCodes;
      security: typeof security;
      settings: typeof settings;
      setup: typeof setup;
      'sign-in': typeof signIn;
      statements: typeof statements;
      system: typeof system;
      upstreams: typeof upstreams;
      usage: typeof usage;
      users: typeof users;
    };
  }
}
