// Runs Jest and ends with the plain line "N passed, N failed".
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps in memory what is put there. */
const MEMORY = '/dev/shm';
/** What all that tests have at one time takes, with room to spare. */
const MEMORY_MIN_BYTES = 4 * 2 ** 30;

/**
 * Where tests put their files: hundreds of databases are made and thrown away, which on a disk costs the processors more
 * than what is asked of them. It is thrown away as a whole.
 */
function findRoom() {
  try {
    const mayRun = /^\S+ \/dev\/shm tmpfs (?!\S*noexec)/m.test(readFileSync('/proc/mounts', 'utf8'));
    const { bavail, bsize } = statfsSync(MEMORY);
    return mayRun && bavail * bsize >= MEMORY_MIN_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

const directory = mkdtempSync(join(findRoom(), 'tollgate-test-'));
// PostgreSQL may run as another user, who has to come through.
chmodSync(directory, 0o711);
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
  { stdio: ['inherit', 'ignore', 'inherit'], env: { ...process.env, TMPDIR: directory } },
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
