// Three billings on one database and one queue of three shards, to which gateways under load write. One, two or all are
// killed at random moments, while two of them write a batch, or as one is committed, and start again; then the audit of
// `chaos.spec.ts`. PostgreSQL and Redis are as far from billing as another zone, so that kills fall between their messages.
import { BILLING_KILLS, runChaos } from '@tollgate/chaos';

const KILLS = 12;

test('three billings are killed at random under load: each answer is billed once, under numbers without gaps', async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const report = await runChaos({
    seconds: 14,
    faults: KILLS,
    kinds: BILLING_KILLS,
    seed,
    perSecond: 100,
    delayMs: 10,
  });
  // Whoever reads that it failed can begin with the same seed here.
  const expected = { seed, findings: [], notFound: [] };
  expect({ seed, findings: report.findings, notFound: report.notFound }).toEqual(expected);
  expect(report.faults).toHaveLength(KILLS);
  expect(report.answered).toBeGreaterThan(500);
}, 300_000);
