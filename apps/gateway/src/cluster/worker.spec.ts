import { renderWorkerArguments, parseWorker, countWorkers } from './worker.ts';

test('a process finds which worker it is in the arguments that it is given', () => {
  expect(parseWorker(renderWorkerArguments({ number: 3, of: 8 }))).toEqual({ number: 3, of: 8 });
});

test.each([[[]], [['process', '2']], [['process', 'x', 'of', '2']], [['process', '1', 'of', '2', 'more']]])(
  'a process that is started by hand with %j is no worker',
  (args) => {
    expect(parseWorker(args)).toBeUndefined();
  },
);

test.each([
  [1, 1],
  [2, 2],
  [8, 8],
  [64, 8],
])('on %i cores auto is %i processes', (cores, processes) => {
  expect(countWorkers('auto', cores)).toBe(processes);
});

test('a number is that many, whatever the machine has', () => {
  expect(countWorkers(3, 1)).toBe(3);
});
