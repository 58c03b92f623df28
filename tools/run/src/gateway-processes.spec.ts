import { gatewayProcesses } from './gateway-processes.ts';

test.each([
  [1, '1'],
  [2, '1'],
  [3, 'auto'],
  [64, 'auto'],
])('on %i cores the gateway of npm start has %s', (cores, processes) => {
  expect(gatewayProcesses(undefined, cores)).toBe(processes);
  expect(gatewayProcesses('', cores)).toBe(processes);
});

test('what is asked for is what it has', () => {
  expect(gatewayProcesses('3', 1)).toBe('3');
  expect(gatewayProcesses('auto', 1)).toBe('auto');
});
