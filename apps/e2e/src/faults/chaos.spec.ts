// A stack under load and faults; then every charge is worked out again from what clients were answered, what the upstream
// served and the public prices, and compared with the books. That this audit can fail is shown beside: on the same books,
// changed behind the programs' back in a transaction that is taken back, and on a stack one program of which is wrong.
import { FAULTS, runChaos } from '@tollgate/chaos';

const PATIENCE_MS = 300_000;

test(
  'parts of the stack are killed, frozen and filled under load: every charge is what the client was told and the prices say',
  async () => {
    const report = await runChaos({ seconds: 30, faults: FAULTS.length, seed: 1, perSecond: 30 });
    expect(report.findings).toEqual([]);
    expect(report.notFound).toEqual([]);
    expect(report.faults).toHaveLength(FAULTS.length);
    expect(report.answered).toBeGreaterThan(100);
    expect(report.leftRows).toBeGreaterThan(20);
    expect(report.lostAttempts).toBeGreaterThan(3);
    expect(report.versions).toBeGreaterThan(2);
  },
  PATIENCE_MS,
);

test(
  'the audit is red when the gateway counts output tokens twice',
  async () => {
    const report = await runChaos({
      seconds: 2,
      faults: 0,
      seed: 1,
      perSecond: 40,
      mutation: 'tokens-doubled',
    });
    expect(report.findings).toContainEqual(
      expect.stringContaining('whole answers are billed by other tokens than they say'),
    );
  },
  PATIENCE_MS,
);
