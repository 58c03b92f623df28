// Attacks on the stack that all end-to-end tests share, in tables. Each area names what it proves; after each of them the
// invariants are looked at. The long ones, and the probe beside each attack, are in `npm run hostile`.
import { sharedStack } from '../shared-stack.ts';
import { runArea } from './area.ts';
import { FAST_AREAS } from './areas.ts';
import { type HostileStack, openHostileStack } from './hostile-stack.ts';
import { brokenInvariants } from './invariants.ts';

const MIN_CASES = 900;
let stack: HostileStack;
let cases = 0;

beforeAll(async () => {
  stack = await openHostileStack(sharedStack());
});

test.each(FAST_AREAS.map((area) => [area.name, area.proves, area] as const))(
  '%s: %s',
  async (_name, _proves, area) => {
    const { count, failures } = await runArea(area, stack);
    cases += count;
    expect(failures).toEqual([]);
    expect(await brokenInvariants(stack)).toEqual([]);
  },
  60_000,
);

test('the hostile suite has at least 900 cases', () => {
  expect(cases).toBeGreaterThanOrEqual(MIN_CASES);
});
