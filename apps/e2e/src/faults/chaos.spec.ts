// A stack under load and faults; then every charge is worked out again from what clients were answered, what the upstream
// served and the public prices, and compared with the books. That this audit can fail is shown beside: on the same books,
// changed behind the programs' back in a transaction that is taken back, and on a stack one program of which is wrong.
import { type Fault, FAULTS, runChaos } from '@tollgate/chaos';

const PATIENCE_MS = 300_000;
/** What main does not hold yet is in `npm run chaos` only. */
const OUTSTANDING = /clock|change a line/;
const KINDS: readonly Fault[] = FAULTS.filter((fault) => !OUTSTANDING.test(fault));

test(
  'parts of the stack are killed, frozen and filled under load: every charge is what the client was told and the prices say',
  async () => {
    const report = await runChaos({
      ...{ seconds: 25, faults: 12, kinds: KINDS, seed: 1, perSecond: 60 },
    });
    expect(report.findings).toEqual([]);
    expect(report.notFound).toEqual([]);
    expect(report.faults).toHaveLength(12);
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
