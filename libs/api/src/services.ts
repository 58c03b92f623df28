import { keys } from './keys.ts';

/** What each service serves, by the tag that its document shows. */
export const SERVICES = {
  billing: {
    title: 'Tollgate billing',
    description: 'Sign-in, API keys, the usage log and the ledger.',
    documentPath: '/api/openapi.json',
    resources: { Keys: keys },
  },
  pricing: {
    title: 'Tollgate pricing',
    description: 'Public prices, the catalogue with its versions, and drafts of price books.',
    documentPath: '/api/catalogue/openapi.json',
    resources: {},
  },
} as const;
