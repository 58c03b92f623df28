// Ends a test or a hook that takes too long: the runner waits for ever by itself.
const DEFAULT_MS = 60_000;

function limit(fn, ms, what) {
  return async (...args) => {
    let timer;
    const late = new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
    });
    try {
      return await Promise.race([fn(...args), late]);
    } finally {
      clearTimeout(timer);
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
