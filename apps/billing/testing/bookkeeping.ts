import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import type { Transactions } from '../src/ledger/journal.ts';
import { postBatch } from '../src/usage/post-batch.ts';
import { type Posting, computePosting } from '../src/usage/posting.ts';
import { type Answer, call } from './people.ts';
import { type EventFields, snapshotWith, usageEvent } from './usage-events.ts';

/** Sends what is to be done once. */
export async function enter<T = Record<string, unknown>>(
  at: { readonly url: string; readonly cookie: string },
  path: string,
  body: object,
  idempotencyKey: string = randomUUID(),
): Promise<Answer<T>> {
  const answer = await fetch(`${at.url}${path}`, {
    method: 'POST',
    headers: { cookie: at.cookie, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

interface Audit extends Record<string, unknown> {
  readonly id: string;
  readonly ended_at: string | null;
}

/** Audits the ledger; answers when that has ended, which a busy machine does after it has answered. */
export async function auditLedger(
  at: { readonly url: string; readonly cookie: string },
  body: object,
): Promise<Answer<Audit>> {
  const started = await call<Audit>(at, 'POST', '/api/ledger/audits', body);
  if (started.status !== 200) return started;
  return waitFor(async () => {
    const asked = await call<Audit>(at, 'GET', `/api/ledger/audits/${started.body.id}`);
    return asked.body.ended_at !== null && asked;
  }, 'the end of the audit');
}

/** Usage that costs so many pico-USD, and that much upstream where it is known. */
export function postingThatCosts(costPico: number, of: EventFields = {}, upstreamPico?: number): Posting {
  const snapshot = snapshotWith({ input: 1 }, '1');
  const rated = computePosting(usageEvent({ tokens: { input: costPico }, ...of }), snapshot);
  if (!rated.ok) throw new Error(rated.reason);
  if (upstreamPico === undefined) return rated.value;
  const upstreamCostPico = BigInt(upstreamPico);
  const { upstream } = rated.value.event;
  const owed = [
    { ledgerAccount: `cost:${upstream}`, amountPico: -upstreamCostPico },
    { ledgerAccount: `payable:${upstream}`, amountPico: upstreamCostPico },
  ];
  return {
    ...rated.value,
    upstreamCostPico,
    entries: [...rated.value.entries, ...owed.filter(({ amountPico }) => amountPico !== 0n)],
  };
}

/** Posts usage of an account; answers its request id. */
export async function postUsage(
  database: Transactions,
  accountId: string,
  costPico: number,
  of: EventFields = {},
): Promise<string> {
  const posting = postingThatCosts(costPico, { account_id: accountId, ...of });
  await postBatch(database, [posting], []);
  return posting.event.request_id;
}
