// Runs Jest and ends with the plain line "N passed, N failed". All tests run as two Jests side by side: those from end to end
// wait for much, and the others, one worker of them, work meanwhile. Three workers that start houses would be too many.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const args = process.argv.slice(2);
const END_TO_END = 'apps/e2e';
const runs =
  args.length > 0
    ? [args]
    : [
        ['--selectProjects', END_TO_END],
        ['--ignoreProjects', END_TO_END, '--maxWorkers=1'],
      ];

const directory = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
const ended = runs.map((own, index) => {
  const report = join(directory, `report-${index}.json`);
  const jest = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${report}`,
      ...own,
    ],
    {
      stdio: ['inherit', 'ignore', 'inherit'],
      // Workers of both look for free ports, each in its own range.
      env: { ...process.env, TEST_RUN: String(index) },
    },
  );
  process.on('SIGTERM', () => jest.kill('SIGTERM'));
  return new Promise((resolve) =>
    jest.on('exit', (code) => resolve({ code: code ?? 1, ...countsOf(report) })),
  );
});
process.on('SIGINT', () => {});

const results = await Promise.all(ended);
rmSync(directory, { recursive: true, force: true });
const sum = (count) => results.reduce((total, result) => total + result[count], 0);
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exit(Math.max(...results.map(({ code }) => code)));

function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const broken = testResults.filter(
      (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
    );
    return { passed: numPassedTests, failed: numFailedTests + Math.min(broken.length, numFailedTestSuites) };
  } catch {
    process.stderr.write('Jest left no report.\n');
    return { passed: 0, failed: 1 };
  }
}
