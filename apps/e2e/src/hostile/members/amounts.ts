// Proves: what is no exact amount of money moves none, in every operation; and no balance is another after all of it.
import { randomUUID } from 'node:crypto';
import { type HostileArea, must } from '../area.ts';

const ODD_AMOUNTS: readonly unknown[] = [
  ...[
    '',
    ' ',
    '0',
    '-0',
    '-1',
    '+1',
    '1e3',
    '1E-3',
    '0x10',
    '1,000.00',
    '1.',
    '.5',
    '1.0000000000001',
    '1 000',
  ],
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    '１２',
    '1.00 USD',
    '$1',
    '1\u0000',
    '1\n',
    '99999999999999999',
    "1'--",
  ],
  ...[1, 0.1, -1, 1e21, null, true, [], ['1'], {}, { amount: '1' }],
];

const OPERATIONS = ['payments', 'grants', 'payouts', 'adjustments', 'write-offs'] as const;

/** An adjustment may take, but only an amount that is one. */
const isAmount = (operation: string, amount: unknown): boolean =>
  operation === 'adjustments' && amount === '-1';

export const amounts: HostileArea = {
  name: 'members/amounts',
  proves: 'an amount that is not exact decimal USD above nothing is refused by every operation',
  cases: ({ people, victim, send }) =>
    OPERATIONS.flatMap((operation) =>
      ODD_AMOUNTS.filter((amount) => !isAmount(operation, amount)).map((amount) => ({
        name: `${operation}: ${JSON.stringify(amount)} (${typeof amount})`,
        async run() {
          const { status, text } = await send(`/api/ledger/${operation}`, {
            headers: { cookie: people.finance.cookie, 'idempotency-key': randomUUID() },
            body: { account_id: victim.accountId, amount_usd: amount, reason: 'Hostile' },
          });
          must(status === 400 || status === 409, () => `${status} ${text.slice(0, 200)}`);
        },
      })),
    ),
};
