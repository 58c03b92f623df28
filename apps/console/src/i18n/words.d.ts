import type common from '../locales/en/common.json';
import type home from '../locales/en/home.json';
import type keys from '../locales/en/keys.json';
import type models from '../locales/en/models.json';
import type signIn from '../locales/en/sign-in.json';
import type usage from '../locales/en/usage.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      home: typeof home;
      keys: typeof keys;
      models: typeof models;
      'sign-in': typeof signIn;
      usage: typeof usage;
    };
  }
}
