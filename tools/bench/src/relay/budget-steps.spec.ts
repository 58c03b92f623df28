import { computeShares } from './budget-steps.ts';

const frame = (functionName: string, url = '') => ({ callFrame: { functionName, url } });
const ROOT = 'file:///anywhere/tollgate';

test('a step is billed for the libraries that it calls, and not for the sockets and clients below it', () => {
  const shares = computeShares({
    nodes: [
      { id: 1, ...frame('(root)'), children: [2, 3, 4, 12] },
      { id: 2, ...frame('(idle)') },
      { id: 3, ...frame('(garbage collector)') },
      { id: 4, ...frame('relay', `${ROOT}/apps/gateway/dist/relay/relay.js`), children: [5, 8, 10] },
      { id: 5, ...frame('receive', `${ROOT}/apps/gateway/dist/relay/receive.js`), children: [6] },
      { id: 6, ...frame('parse', `${ROOT}/node_modules/zod/v4/core.js`), children: [7] },
      { id: 7, ...frame('test') },
      { id: 8, ...frame('exchange', `${ROOT}/apps/gateway/dist/forward/exchange.js`), children: [9] },
      { id: 9, ...frame('dispatch', `${ROOT}/node_modules/undici/lib/pool.js`) },
      { id: 10, ...frame('sendAnswer', `${ROOT}/apps/gateway/dist/relay/send-answer.js`), children: [11] },
      { id: 11, ...frame('write', 'node:net') },
      { id: 12, ...frame('processTimers', 'node:internal/timers') },
    ],
    samples: [2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  });
  const worked = Object.entries(shares).filter(([, share]) => share > 0);
  expect(Object.fromEntries(worked)).toEqual({
    garbage: 0.1,
    relay: 0.1,
    receive: expect.closeTo(0.3, 9),
    'forward: sent and read': 0.1,
    undici: 0.1,
    deliver: 0.1,
    'HTTP and sockets': 0.1,
    'rest of Node': 0.1,
  });
});

test.each([
  ['admit: limits', 'libs/limits/dist/leasing-limiter.js'],
  ['admit: prices and credit', 'libs/limits/dist/hold.js'],
  ['admit: prices and credit', 'libs/catalogue/dist/price.js'],
  ['admit: tokens estimated', 'libs/metering/dist/estimate.js'],
  ['admit: the rest', 'apps/gateway/dist/admit/admit.js'],
  ['forward: request made', 'apps/gateway/dist/forward/prepare.js'],
  ['forward: health', 'apps/gateway/dist/health/target.js'],
  ['forward: the rest', 'apps/gateway/dist/forward/attempt.js'],
  ['meter', 'libs/metering/dist/meter.js'],
] as const)('%s is what %s runs', (step, file) => {
  const shares = computeShares({ nodes: [{ id: 1, ...frame('f', `${ROOT}/${file}`) }], samples: [1] });
  expect(shares[step]).toBe(1);
});

test('a profile without work has no shares', () => {
  const shares = computeShares({ nodes: [{ id: 1, ...frame('(idle)') }], samples: [1] });
  expect(Object.values(shares).every((share) => share === 0)).toBe(true);
});
