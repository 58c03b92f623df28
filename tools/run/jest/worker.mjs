// A process that runs test files one after the other. The library's own pool sends the configuration to the first of its
// workers that asks, so that one which starts at the same moment can wait for it for ever.
import run, { setWorkerData } from '../../../node_modules/jest-light-runner/src/worker-runner.js';

let isSetUp = false;

process.on('message', async ({ path, projectConfig, globalConfig }) => {
  try {
    // What tests see of the configuration is the same in all projects.
    if (!isSetUp) setWorkerData({ globalConfig, projectConfig, runtime: 'child_process' });
    isSetUp = true;
    process.send({ result: await run(path) });
  } catch (error) {
    process.send({ failure: { message: String(error?.message ?? error), stack: error?.stack } });
  }
});
// What nobody waited for ends the process; whoever began the test learns what it was.
process.on('uncaughtException', (error) => {
  const message = `An error that no test waited for: ${error?.message ?? error}`;
  process.send({ last: { message, stack: `${message}\n${error?.stack ?? ''}` } }, () => process.exit(1));
});
// What a test left open keeps nobody waiting, and nothing outlives the run.
process.on('disconnect', () => process.exit());
