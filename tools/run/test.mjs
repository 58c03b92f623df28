// Runs Jest and ends with the plain line "N passed, N failed".
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
const report = join(directory, 'report.json');
/** `--costs`: tell at the end what each file took, the most expensive first. */
const args = process.argv.slice(2).filter((arg) => arg !== '--costs');
if (args.length < process.argv.length - 2) process.env.TEST_COSTS = '1';
const jest = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    // The workers inherit these.
    '--import=./tools/run/jest/typescript-loader.mjs',
    '--conditions=@tollgate/source',
    '--enable-source-maps',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${report}`,
    ...args,
  ],
  { stdio: ['inherit', 'ignore', 'inherit'] },
);
process.on('SIGINT', () => {});
process.on('SIGTERM', () => jest.kill('SIGTERM'));
jest.on('exit', (code) => {
  let line = '0 passed, 1 failed';
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const brokenSuites = testResults.filter(
      (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
    );
    line = `${numPassedTests} passed, ${numFailedTests + Math.min(brokenSuites.length, numFailedTestSuites)} failed`;
  } catch {
    process.stderr.write('Jest left no report.\n');
  }
  rmSync(directory, { recursive: true, force: true });
  process.stdout.write(`${line}\n`);
  process.exit(code ?? 1);
});
