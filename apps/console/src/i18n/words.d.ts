import type common from '../locales/en/common.json';
import type keys from '../locales/en/keys.json';
import type models from '../locales/en/models.json';
import type playground from '../locales/en/playground.json';
import type signIn from '../locales/en/sign-in.json';
import type statements from '../locales/en/statements.json';
import type usage from '../locales/en/usage.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      keys: typeof keys;
      models: typeof models;
      playground: typeof playground;
      'sign-in': typeof signIn;
      statements: typeof statements;
      usage: typeof usage;
    };
  }
}
