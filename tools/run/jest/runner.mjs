// Runs test files in worker processes, of whatever project: what one worker has loaded serves all files after.
import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { isEndToEnd, mostlyWaits } from '../end-to-end-first.mjs';
import { Costs } from './costs.mjs';

const WORKER = join(import.meta.dirname, 'worker.mjs');
/** What one worker has compiled the others read: a second of a processor for each. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/tollgate/compiled');
/** What a worker takes of the files, and how nice it is to the others meanwhile. */
const ANY = { takes: () => true, niceness: 0 };
const WAITING = { takes: mostlyWaits, niceness: 0 };
/** Two of these weigh on the processors as one end-to-end test does. */
const BEHIND = { takes: (test) => !isEndToEnd(test), niceness: 5 };
/**
 * The turns of each worker, one after the other; the last are those of all further ones. Two stacks and two browsers at once
 * are what two processors bear before somebody is too late. A third worker runs what mostly waits beside them; the end of a
 * run, when nothing else is left, belongs to end-to-end tests, which wait for half of their time.
 */
const TURNS = [[ANY], [ANY], [WAITING, BEHIND, ANY], [BEHIND]];

export default class ProcessRunner {
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, _watcher, onStart, onResult, onFailure) {
    const queue = [...tests];
    const costs = process.env.TEST_COSTS ? new Costs(this.#globalConfig.rootDir) : undefined;
    const take = (turn) => {
      const index = queue.findIndex(turn.takes);
      return index < 0 ? undefined : queue.splice(index, 1)[0];
    };
    const work = async (number) => {
      let worker;
      let niceness = 0;
      for (const turn of TURNS[number - 1] ?? TURNS.at(-1)) {
        // A process may become nicer, but not less so: for that another one takes its place.
        if (worker && turn.niceness < niceness) {
          await end(worker);
          worker = undefined;
        }
        niceness = turn.niceness;
        if (worker && niceness > 0) setPriority(worker.pid, niceness);
        for (let test = take(turn); test !== undefined; test = take(turn)) {
          worker ??= startWorker(number, niceness);
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
      }
      if (worker) await end(worker);
    };
    const workers = Math.min(this.#globalConfig.maxWorkers, tests.length);
    await Promise.all(Array.from({ length: workers }, (_, index) => work(index + 1)));
    costs?.print();
  }
}

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
    const toError = ({ message, stack }) => Object.assign(new Error(message), { stack });
    /** What the worker says of its end before that. */
    let lastWords;
    const onMessage = ({ result, failure, last }) => {
      if (last) lastWords = toError(last);
      else if (result) succeed(result);
      else fail(toError(failure));
    };
    const onExit = (code, signal) =>
      fail(lastWords ?? new Error(`The worker ended with ${signal ?? `exit code ${code}`}.`));
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
