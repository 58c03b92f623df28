import { runChaos } from '@tollgate/chaos';

const PATIENCE_MS = 300_000;

test(
  'parts of the house are killed under load: every answered request is in the books once, and the books are right',
  async () => {
    const report = await runChaos({ seconds: 25, kills: 12, seed: 1, perSecond: 60 });
    expect(report.findings).toEqual([]);
    expect(report.kills).toHaveLength(12);
    expect(report.answered).toBeGreaterThan(100);
    expect(report.rows).toBeGreaterThanOrEqual(report.answered);
  },
  PATIENCE_MS,
);
