import type common from '../locales/en/common.json';
import type home from '../locales/en/home.json';
import type invite from '../locales/en/invite.json';
import type keys from '../locales/en/keys.json';
import type models from '../locales/en/models.json';
import type settings from '../locales/en/settings.json';
import type setup from '../locales/en/setup.json';
import type playground from '../locales/en/playground.json';
import type signIn from '../locales/en/sign-in.json';
import type statements from '../locales/en/statements.json';
import type usage from '../locales/en/usage.json';
import type users from '../locales/en/users.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      home: typeof home;
      invite: typeof invite;
      keys: typeof keys;
      models: typeof models;
      settings: typeof settings;
      setup: typeof setup;
      playground: typeof playground;
      'sign-in': typeof signIn;
      statements: typeof statements;
      usage: typeof usage;
      users: typeof users;
    };
  }
}
