// Runs test files in worker processes, of whatever project: what one worker has loaded serves all files after.
import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { Costs } from './costs.mjs';

const WORKER = join(import.meta.dirname, 'worker.mjs');
/** What one worker has compiled the others read: a second of a processor for each. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/tollgate/compiled');
/** Two stacks and two browsers at once are what two processors bear before somebody is too late. */
const END_TO_END_AT_ONCE = 2;
/** One more when nothing else is left: end-to-end tests wait for half of their time, and the end of a run is theirs. */
const END_TO_END_AT_THE_END = 3;
/**
 * How nice the workers beyond those are: they do what needs no stack while the end-to-end tests wait. Two of them weigh
 * on the processors as one end-to-end test does.
 */
const BEHIND = 5;

export default class ProcessRunner {
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, _watcher, onStart, onResult, onFailure) {
    const queue = [...tests];
    const costs = process.env.TEST_COSTS ? new Costs(this.#globalConfig.rootDir) : undefined;
    const work = async (number, isBehind) => {
      const next = () => {
        const index = queue.findIndex((test) => !isBehind || !isEndToEnd(test));
        return index < 0 ? undefined : queue.splice(index, 1)[0];
      };
      let worker;
      for (let test = next(); test !== undefined; test = next()) {
        worker ??= startWorker(number, isBehind ? BEHIND : 0);
        await onStart(test);
        const note = costs?.start(test.path, number, worker.pid);
        try {
          await onResult(test, await runTest(worker, test, this.#globalConfig));
        } catch (error) {
          await onFailure(test, { message: error.message, stack: error.stack });
          if (!worker.connected) worker = undefined;
        }
        note?.();
      }
      if (worker) await end(worker);
      // In a process that is not nice: none may become less so.
      if (isBehind && number <= END_TO_END_AT_THE_END) await work(number, false);
    };
    const workers = Math.min(this.#globalConfig.maxWorkers, tests.length);
    await Promise.all(
      Array.from({ length: workers }, (_, index) => work(index + 1, index >= END_TO_END_AT_ONCE)),
    );
    costs?.print();
  }
}

const isEndToEnd = ({ context }) => context.config.displayName?.name === 'apps/e2e';

function startWorker(number, niceness) {
  const worker = fork(WORKER, {
    env: { ...process.env, TEST_WORKER: String(number), NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: 'inherit',
  });
  if (niceness > 0) setPriority(worker.pid, niceness);
  return worker;
}

function runTest(worker, test, globalConfig) {
  return new Promise((resolve, reject) => {
    const settle = (then) => (value) => {
      worker.off('message', onMessage).off('exit', onExit);
      then(value);
    };
    const fail = settle(reject);
    const succeed = settle(resolve);
    const onMessage = ({ result, failure }) =>
      result ? succeed(result) : fail(Object.assign(new Error(failure.message), { stack: failure.stack }));
    const onExit = (code, signal) =>
      fail(new Error(`The worker ended with ${signal ?? `exit code ${code}`}.`));
    worker.on('message', onMessage).on('exit', onExit);
    worker.send({ path: test.path, projectConfig: test.context.config, globalConfig });
  });
}

function end(worker) {
  if (worker.exitCode !== null || worker.signalCode !== null) return undefined;
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.disconnect();
  return ended;
}
