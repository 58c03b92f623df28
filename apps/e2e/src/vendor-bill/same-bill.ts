import { METER_KINDS, type ServiceTier } from '@tollgate/vocabulary';
import type { Books, UsageRow } from '../books.ts';
import type { Answer } from '../call.ts';
import { type OwnSimulator, requestId } from '../pools/own-pool.ts';
import type { Shown } from './features.ts';
import { readVendorBill } from './priced-models.ts';

/** What the vendor bills for a request is what the books charge for it. */
export async function expectSameBill(
  answer: Answer,
  of: {
    readonly mark: string;
    readonly books: Books;
    readonly simulator: OwnSimulator;
    /** What costs nothing is billed nothing. */
    readonly isFree?: boolean;
  },
): Promise<UsageRow> {
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const bills = await readVendorBill(of.simulator.url);
  const charged = bills.flatMap(({ latest }) => latest).find(({ asked }) => asked === of.mark);
  expect(bills.flatMap(({ unpriced }) => unpriced)).toEqual([]);
  const row = await of.books.usage(requestId(answer));
  expect(row.cost_pico).toBe(charged?.amount_pico);
  expect(BigInt(row.cost_pico) === 0n).toBe(of.isFree === true);
  return row;
}

/** The kinds that a row of the usage log counts, those of other models among them, and its tier. */
export function listShown(row: UsageRow): Shown[] {
  const lines = (row['lines'] ?? []) as readonly { readonly counts: Readonly<Record<string, number>> }[];
  const counts = [row, ...lines.map(({ counts }) => counts)];
  const kinds = METER_KINDS.filter((kind) =>
    counts.some((of) =>
      [of[kind], of[`tokens_${kind}`], of[`units_${kind}`]].some((count) => Number(count ?? 0) > 0),
    ),
  );
  return [...kinds, row['service_tier'] as ServiceTier];
}
