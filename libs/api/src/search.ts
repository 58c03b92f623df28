import { z } from 'zod';
import { REPORT_ERRORS, timestamp } from './common.ts';
import { defineResource } from './route.ts';

const of = { account_id: z.uuid(), account_name: z.string() };

const foundKey = z
  .object({ id: z.uuid(), name: z.string(), masked: z.string(), is_deleted: z.boolean(), ...of })
  .meta({ id: 'FoundKey' });

const foundRequest = z
  .object({ request_id: z.string(), occurred_at: timestamp, http_status: z.int(), account_id: z.uuid() })
  .meta({ id: 'FoundRequest' });

export const search = defineResource({
  search: {
    method: 'GET',
    path: '/api/search',
    summary: 'Find keys, accounts, people and a request',
    description:
      'Of everything what the caller may see: members find their own keys and requests of their account, who keeps the books those keys and accounts of all, operators everything.',
    permission: 'accounts:read',
    account: { in: 'query', name: 'account_id', others: 'ledger:read-all' },
    query: z.object({
      find: z
        .string()
        .trim()
        .max(100)
        .default('')
        .meta({
          description:
            'A part of a name, of an e-mail address or of what is shown of a key; or a whole id. Without it the newest keys',
          examples: ['Acme'],
        }),
      account_id: z.uuid().optional().meta({ description: 'Keys of this account alone, and nothing else' }),
    }),
    answer: z
      .object({
        keys: z.array(foundKey),
        accounts: z.array(z.object({ id: z.uuid(), name: z.string() })),
        people: z.array(z.object({ email: z.string(), name: z.string().nullable(), ...of })),
        requests: z.array(foundRequest),
      })
      .meta({ id: 'SearchAnswer', description: 'The first few of each' }),
    errors: REPORT_ERRORS,
  },
});
