import type accounts from '../locales/en/accounts.json';
import type common from '../locales/en/common.json';
import type exports from '../locales/en/exports.json';
import type finance from '../locales/en/finance.json';
import type keys from '../locales/en/keys.json';
import type ledger from '../locales/en/ledger.json';
import type margins from '../locales/en/margins.json';
import type models from '../locales/en/models.json';
import type periods from '../locales/en/periods.json';
import type reconciliation from '../locales/en/reconciliation.json';
import type redeem from '../locales/en/redeem.json';
import type redemptionCodes from '../locales/en/redemption-codes.json';
import type signIn from '../locales/en/sign-in.json';
import type usage from '../locales/en/usage.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      accounts: typeof accounts;
      common: typeof common;
      exports: typeof exports;
      finance: typeof finance;
      keys: typeof keys;
      ledger: typeof ledger;
      margins: typeof margins;
      models: typeof models;
      periods: typeof periods;
      reconciliation: typeof reconciliation;
      redeem: typeof redeem;
      'redemption-codes': typeof redemptionCodes;
      'sign-in': typeof signIn;
      usage: typeof usage;
    };
  }
}
