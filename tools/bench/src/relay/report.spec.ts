import { joinStarts, type Outcome } from './measure.ts';
import { markdown, type Report } from './report.ts';

const EVENT = 'instructions:u';

/** Rounds of so much CPU, and so many instructions where they were counted. */
const measured = (cpus: readonly number[], instructions?: readonly number[]): Outcome => ({
  cpu: cpus[0] ?? 0,
  rounds: [cpus],
  counted: instructions ? { [EVENT]: instructions[0] ?? 0 } : {},
  countedRounds: instructions ? { [EVENT]: [instructions] } : {},
  others: {},
  perSecond: 1_000,
  p50: 1,
  p99: 2,
  memoryMb: 100,
});

const report = (outcomes: Report['cases'][number]['outcomes'], counters: Report['counters']): string =>
  markdown({
    machine: 'a machine',
    load: '0.0 before and 0.0 after',
    counters,
    cases: [{ case: { name: 'chat', says: 'chat', requests: 1, rounds: 4, connections: 1 }, outcomes }],
    halves: [],
    latencies: [{ rate: 300, outcomes: { go: { failed: 'status 502: ' } } }],
    coldStarts: {},
    curves: [],
  });

const counted = { events: [EVENT], missing: [] };

test('what was counted has a column and a ratio of its own', () => {
  const text = report(
    {
      bare: measured([100, 100, 100, 100], [200_000, 200_000, 200_000, 200_000]),
      tollgate: measured([150, 150, 150, 150], [250_000, 250_000, 250_000, 250_000]),
    },
    counted,
  );
  expect(text).toContain('| CPU µs | to bare (95 %) | instructions:u | to bare (95 %) | rounds |');
  expect(text).toContain('| chat | bare | 100 | 1.00 | 200000 | 1.00 | 4 |');
  expect(text).toContain('| chat | tollgate | 150 | 1.50 (1.50–1.50) | 250000 | 1.25 (1.25–1.25) | 4 |');
});

test('one that was not counted in every round has none', () => {
  const text = report({ bare: measured([100, 100]), tollgate: measured([150, 150], [3, 3]) }, counted);
  expect(text).toContain('| chat | bare | 100 | 1.00 |  |  | 2 |');
  expect(text).toContain('| chat | tollgate | 150 | 1.50 (1.50–1.50) | 3.00 |  | 2 |');
});

test('where there are no counters the report says why, and has no column', () => {
  const text = report({ bare: measured([100, 100]) }, { events: [], missing: [`${EVENT}: none`] });
  expect(text).toContain('Not counted, so without a column: instructions:u: none.');
  expect(text).toContain('| CPU µs | to bare (95 %) | rounds |');
});

test('another checkout is compared by the CPU and by what was counted', () => {
  const text = report(
    {
      before: measured([100, 110, 105, 102], [1_000, 1_000, 1_000, 1_000]),
      tollgate: measured([104, 101, 109, 106], [1_010, 1_010, 1_010, 1_010]),
    },
    counted,
  );
  expect(text).toMatch(/\| chat \| CPU \| .* \| no difference shown \|/);
  expect(text).toContain('| chat | instructions:u | 1.01 (1.01–1.01) | slower |');
});

test('what failed is told with its words, in one line', () => {
  const text = report({ go: { failed: `status 500: {\n "error": \`${'x'.repeat(500)}\` }` } }, counted);
  expect(text).toContain('| chat | go | fails |  |');
  expect(text).toMatch(/^- chat, go: `status 500: \{ "error": x{150,200}…`$/m);
  expect(text).toContain('- 300 requests a second, go: `status 502:`');
});

test('starts are joined with what was counted in all of them', () => {
  const starts = [{ bare: measured([1], [10]) }, { bare: measured([2], [20]) }];
  expect(joinStarts(starts).bare).toMatchObject({
    countedRounds: { [EVENT]: [[10], [20]] },
    counted: { [EVENT]: 15 },
  });
  expect(joinStarts([...starts, { bare: measured([3]) }]).bare).toMatchObject({ countedRounds: {} });
});
