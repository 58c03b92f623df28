import { availableParallelism } from 'node:os';
import { placeArguments, placeIn, processesOf } from './process-place.ts';

test('a process finds its place in the arguments that it is given', () => {
  expect(placeIn(placeArguments({ number: 3, of: 8 }))).toEqual({ number: 3, of: 8 });
});

test.each([[[]], [['process', '2']], [['process', 'x', 'of', '2']], [['process', '1', 'of', '2', 'more']]])(
  'a process that is started by hand with %j has no place',
  (args) => {
    expect(placeIn(args)).toBeUndefined();
  },
);

test('auto is one process for each core', () => {
  expect(processesOf('auto')).toBe(availableParallelism());
  expect(processesOf(3)).toBe(3);
});
