import { AUDIT_CHECKS, AUDIT_STEPS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { REPORT_ERRORS, timestamp, toIdSchema, usdAmount } from './common.ts';
import { defineResource } from './route.ts';

const auditBody = z
  .strictObject({
    from_start: z.boolean().default(true).meta({
      description:
        'false leaves out transactions that were found right before, and sums of months to which nothing was added since the last complete audit that found nothing',
    }),
  })
  .meta({ examples: [{ from_start: true }] });

/** What an audit of the ledger found. */
export const auditReport = z
  .object({
    after: z.int().meta({ description: 'Transactions above this number were checked' }),
    to: z.int().meta({ description: 'Up to this one' }),
    transactions: z.int(),
    entries: z.int(),
    accounts: z.int(),
    imbalance_usd: usdAmount.meta({ description: 'The sum of all entries' }),
    difference_count: z.int(),
    differences: z
      .array(
        z.object({
          check: z.enum(AUDIT_CHECKS),
          number: z.int().nullable(),
          account_id: z.string().nullable(),
          expected_usd: usdAmount.nullable(),
          found_usd: usdAmount.nullable(),
        }),
      )
      .meta({ description: 'The first hundred' }),
  })
  .meta({ id: 'LedgerAuditReport' });

const ledgerAudit = auditReport
  .extend({
    id: z.uuid(),
    from_start: z.boolean().meta({
      description: 'Also where no audit was right before, or what one found was not put right since',
    }),
    started_by: z.string(),
    started_at: timestamp,
    ended_at: timestamp.nullable().meta({ description: 'null while it runs' }),
    step: z.enum(AUDIT_STEPS).nullable().meta({ description: 'What is read now; null where it has ended' }),
    checked: z.int().meta({
      description: 'Numbers of the journal that were read, and requests of which sums were worked out again',
    }),
    total: z.int(),
    verified: z.boolean().nullable().meta({ description: 'null while it runs' }),
  })
  .meta({
    id: 'LedgerAudit',
    description: 'How far a complete audit is, and what it found up to there',
  });

export const audits = defineResource({
  auditLedger: {
    method: 'POST',
    path: '/api/ledger/audits',
    summary: 'Check the whole ledger',
    description:
      'It goes on in the background where it takes more than a moment, and where a process is killed meanwhile. Asked for while one runs that reads as much, it is that one.',
    permission: 'ledger:write',
    audited: false,
    body: auditBody,
    answer: ledgerAudit,
    errors: REPORT_ERRORS,
  },
  listAudits: {
    method: 'GET',
    path: '/api/ledger/audits',
    summary: 'List the newest complete audits of the ledger',
    permission: 'ledger:read-all',
    answer: z.object({ items: z.array(ledgerAudit) }).meta({ id: 'LedgerAudits' }),
    errors: REPORT_ERRORS,
  },
  getAudit: {
    method: 'GET',
    path: '/api/ledger/audits/:id',
    summary: 'Show how far a complete audit is, and what it found',
    permission: 'ledger:read-all',
    params: z.strictObject({ id: toIdSchema('audit') }),
    answer: ledgerAudit,
    errors: REPORT_ERRORS,
  },
});
