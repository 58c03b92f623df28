import { accounts } from './accounts.ts';
import { factors } from './factors.ts';
import { keys } from './keys.ts';
import { links, members } from './members.ts';
import { profile } from './profile.ts';
import { setup } from './setup.ts';
import { signIn } from './sign-in.ts';

/** What each service serves, by the tag that its document shows. */
export const SERVICES = {
  billing: {
    title: 'Tollgate billing',
    description: 'Sign-in, API keys, the usage log and the ledger.',
    documentPath: '/api/openapi.json',
    resources: {
      'Sign-in': signIn,
      Setup: setup,
      Profile: profile,
      Factors: factors,
      Accounts: accounts,
      Members: members,
      Links: links,
      Keys: keys,
    },
  },
  pricing: {
    title: 'Tollgate pricing',
    description: 'Public prices, the catalogue with its versions, and drafts of price books.',
    documentPath: '/api/catalogue/openapi.json',
    resources: {},
  },
} as const;
