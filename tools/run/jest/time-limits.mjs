import { startCrowdedTimer } from './crowded-time.mjs';

// Ends a test or a hook that takes too long: the runner waits for ever by itself. One that fails tells what it saw.
const DEFAULT_MS = 60_000;
/** A limit is there for what hangs, and says how long a test takes at most where nothing else runs: a busy machine takes longer. */
const BUSY = 2;

const tellers = [];
/** What it answers is added to the error of each test and hook that fails, before anything is put away. */
globalThis.whenTestFails = (tell) => tellers.push(tell);

async function tellMore(error) {
  if (!(error instanceof Error)) return error;
  const notes = await Promise.all(tellers.map((tell) => tell().catch((cause) => String(cause))));
  for (const more of notes.filter(Boolean)) error.stack = `${error.stack}\n\n${more}`;
  return error;
}

function limit(fn, ms, what) {
  return async (...args) => {
    let stop;
    const late = new Promise((resolve, reject) => {
      stop = startCrowdedTimer(BUSY * ms, () =>
        reject(new Error(`${what} took longer than ${BUSY * ms} ms of a machine that is not crowded`)),
      );
    });
    try {
      return await Promise.race([fn(...args), late]);
    } catch (error) {
      throw await tellMore(error);
    } finally {
      stop();
    }
  };
}

const limitTest = (test) =>
  Object.assign((name, fn, ms = DEFAULT_MS) => test(name, limit(fn, ms, `The test "${name}"`)), {
    each:
      (...table) =>
      (name, fn, ms = DEFAULT_MS) =>
        test.each(...table)(name, limit(fn, ms, `The test "${name}"`)),
    ...(test.skip ? { skip: test.skip } : {}),
    ...(test.only ? { only: limitTest(test.only) } : {}),
  });

globalThis.it = limitTest(globalThis.it);
globalThis.test = globalThis.it;
for (const name of ['beforeAll', 'afterAll', 'beforeEach', 'afterEach']) {
  const hook = globalThis[name];
  globalThis[name] = (fn, ms = DEFAULT_MS) => hook(limit(fn, ms, name));
}
