import type auditLog from '../locales/en/audit-log.json';
import type catalogue from '../locales/en/catalogue.json';
import type common from '../locales/en/common.json';
import type discounts from '../locales/en/discounts.json';
import type keys from '../locales/en/keys.json';
import type limits from '../locales/en/limits.json';
import type models from '../locales/en/models.json';
import type signIn from '../locales/en/sign-in.json';
import type system from '../locales/en/system.json';
import type upstreams from '../locales/en/upstreams.json';
import type usage from '../locales/en/usage.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      'audit-log': typeof auditLog;
      catalogue: typeof catalogue;
      discounts: typeof discounts;
      limits: typeof limits;
      system: typeof system;
      keys: typeof keys;
      models: typeof models;
      'sign-in': typeof signIn;
      upstreams: typeof upstreams;
      usage: typeof usage;
    };
  }
}
