import { parseUsd } from '@tollgate/money';
import { z } from 'zod';

/** Whether a text is decimal USD, and an amount that fits. */
export const isUsd = (text: string, fits: (pico: bigint) => boolean): boolean => {
  try {
    return fits(parseUsd(text));
  } catch {
    return false;
  }
};

/** Decimal USD above zero. */
export const positiveUsd = z
  .string()
  .refine((text) => isUsd(text, (pico) => pico > 0n), 'must be decimal USD above zero, such as "12.50"')
  .meta({ description: 'Decimal USD above zero, of at most 12 places', examples: ['12.50'] });

const signedUsd = z
  .string()
  .refine(
    (text) => isUsd(text, (pico) => pico !== 0n),
    'must be decimal USD above or below zero, such as "-2.50"',
  )
  .meta({ description: 'Decimal USD, of at most 12 places; below zero lowers the balance' });

/** What people write about something; that it can be stored is looked at for every route. */
export const plainText = (most: number) => z.string().trim().min(1).max(most);

const reason = plainText(500).meta({
  description: 'Why. The customer reads it in the list of transactions.',
});
const account_id = z.uuid().toLowerCase();
const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';

const moneyBody = (why: string) =>
  z
    .strictObject({ account_id, amount_usd: positiveUsd, reason })
    .meta({ examples: [{ account_id: ACCOUNT, amount_usd: '12.50', reason: why }] });

export const paymentBody = moneyBody('Bank transfer of 21 November');
export const grantBody = moneyBody('Welcome credit');
export const payoutBody = moneyBody('The account was closed');
export const writeOffBody = moneyBody('Not to be collected');

export const adjustmentBody = z
  .strictObject({ account_id, amount_usd: signedUsd, reason })
  .meta({ examples: [{ account_id: ACCOUNT, amount_usd: '-2.50', reason: 'Carried over twice' }] });

export const refundBody = z
  .strictObject({
    request_id: plainText(64).optional(),
    transaction: z.int().positive().optional().meta({ description: 'Number of a usage transaction' }),
    amount_usd: positiveUsd
      .optional()
      .meta({ description: 'Decimal USD above zero; without it all that is left of what was paid' }),
    reason,
  })
  .refine(({ request_id, transaction }) => (request_id === undefined) !== (transaction === undefined), {
    error: 'name either a request_id or a transaction',
    path: ['request_id'],
  })
  .meta({ examples: [{ request_id: 'req_1f0c5e0b7a2d', reason: 'The answer was cut off' }] });

export const correctionBody = z
  .strictObject({
    transaction: z.int().positive().meta({ description: 'Number of the transaction to undo' }),
    reason,
  })
  .meta({ examples: [{ transaction: 1042, reason: 'Entered for the wrong account' }] });

/** Everything that people may enter in the ledger. */
export type Operation =
  | ({ readonly kind: 'payment' } & z.infer<typeof paymentBody>)
  | ({ readonly kind: 'grant' } & z.infer<typeof grantBody>)
  | ({ readonly kind: 'payout' } & z.infer<typeof payoutBody>)
  | ({ readonly kind: 'write_off' } & z.infer<typeof writeOffBody>)
  | ({ readonly kind: 'adjustment' } & z.infer<typeof adjustmentBody>)
  | ({ readonly kind: 'refund' } & z.infer<typeof refundBody>)
  | ({ readonly kind: 'correction' } & z.infer<typeof correctionBody>);
