import type { Availability } from '@tollgate/contracts';
import fc from 'fast-check';
import { type Member, STRATEGIES } from './member.ts';
import { order } from './order.ts';

interface Traits {
  priority?: number;
  weight?: number;
  cost?: number;
  availability?: Availability;
  outstanding?: number;
  latencyMs?: number;
}

const member = (id: string, traits: Traits = {}): Member => ({
  id,
  priority: traits.priority ?? 0,
  weight: traits.weight ?? 1,
  costPerRequest: traits.cost,
  load: {
    availability: () => traits.availability ?? 'ready',
    outstanding: traits.outstanding ?? 0,
    latencyMs: () => traits.latencyMs,
  },
});

const ids = (members: readonly Member[]): string => members.map(({ id }) => id).join(' ');

/** Uniform and the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const context = (seed = 1) => ({ now: 0, random: seeded(seed) });

const pools = fc
  .array(
    fc.record({
      priority: fc.integer({ min: 0, max: 2 }),
      weight: fc.integer({ min: 0, max: 9 }),
      cost: fc.integer({ min: 0, max: 3 }),
      availability: fc.constantFrom<Availability>('ready', 'ready', 'ejected', 'cooling_down', 'disabled'),
      outstanding: fc.integer({ min: 0, max: 30 }),
      latency: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ latency, ...traits }, index) =>
      member(`m${index}`, latency === undefined ? traits : { ...traits, latencyMs: latency }),
    ),
  );

/** How often each came first, as a share. */
function shares(pick: (draw: number) => Member | undefined, draws: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let draw = 0; draw < draws; draw += 1) {
    const id = pick(draw)?.id ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1 / draws);
  }
  return counts;
}

test('every strategy orders exactly the ready members, each once, tiers by priority', () => {
  fc.assert(
    fc.property(
      pools,
      fc.constantFrom(...STRATEGIES),
      fc.integer(),
      fc.string(),
      (pool, strategy, seed, key) => {
        const ready = pool.filter(({ load }) => load.availability(0) === 'ready');
        const result = order(pool, strategy, { ...context(seed), key });
        if (ready.length === 0) return;
        expect(result.map(({ id }) => id).sort()).toEqual(ready.map(({ id }) => id).sort());
        expect(result.map(({ priority }) => priority)).toEqual(ready.map(({ priority }) => priority).sort());
      },
    ),
  );
});

test('when nothing is ready the ejected are tried before those that cool down, the disabled never', () => {
  fc.assert(
    fc.property(pools, fc.constantFrom(...STRATEGIES), fc.integer(), (pool, strategy, seed) => {
      const none = pool.filter(({ load }) => load.availability(0) !== 'ready');
      const states = order(none, strategy, context(seed)).map(({ load }) => load.availability(0));
      const count = (expected: Availability) =>
        none.filter(({ load }) => load.availability(0) === expected).length;
      expect(states).toEqual([
        ...Array<string>(count('ejected')).fill('ejected'),
        ...Array<string>(count('cooling_down')).fill('cooling_down'),
      ]);
    }),
  );
});

test('the order depends on nothing but the members, the context and the random source', () => {
  fc.assert(
    fc.property(pools, fc.constantFrom(...STRATEGIES), fc.integer(), (pool, strategy, seed) => {
      const before = [...pool];
      expect(ids(order(pool, strategy, context(seed)))).toBe(ids(order(pool, strategy, context(seed))));
      expect(pool).toEqual(before);
    }),
  );
});

test('a pool may be larger than any before it', () => {
  const pool = Array.from({ length: 300 }, (_, index) => member(`m${index}`, { priority: 300 - index }));
  const result = order(pool, 'weighted', context());
  expect(result[0]?.id).toBe('m299');
  expect(result).toHaveLength(300);
});

test('weighted gives each its share, and what is left of it to the others in proportion', () => {
  const pool = [member('a', { weight: 6 }), member('b', { weight: 3 }), member('c', { weight: 1 })];
  const around = context();
  const first = shares(() => order(pool, 'weighted', around)[0], 20_000);
  expect(first.get('a')).toBeCloseTo(0.6, 1);
  expect(first.get('b')).toBeCloseTo(0.3, 1);
  expect(first.get('c')).toBeCloseTo(0.1, 1);
  const second = shares(() => order(pool, 'weighted', around).filter(({ id }) => id !== 'a')[0], 20_000);
  expect(second.get('b')).toBeCloseTo(0.75, 1);
});

test('a member of weight 0 comes last in its tier', () => {
  const pool = [member('drained', { weight: 0 }), member('a'), member('b'), member('next', { priority: 1 })];
  for (const strategy of STRATEGIES) {
    const result = order(pool, strategy, { ...context(), key: 'k' });
    expect(result.map(({ id }) => id).slice(2)).toEqual(['drained', 'next']);
  }
});

test.each([
  ['the least busy', [{ outstanding: 5 }, { outstanding: 1 }, { outstanding: 3 }], 'm1 m2 m0'],
  [
    'the least busy for its weight',
    [
      { outstanding: 3, weight: 1 },
      { outstanding: 5, weight: 4 },
    ],
    'm1 m0',
  ],
  ['the heavier of two idle ones', [{ weight: 1 }, { weight: 2 }], 'm1 m0'],
] as const)('least-outstanding takes %s', (_what, traits, expected) => {
  const pool = traits.map((each, index) => member(`m${index}`, each));
  expect(ids(order(pool, 'least-outstanding', context()))).toBe(expected);
});

test('cheapest goes by cost, then by weight; what has no known cost is last', () => {
  const pool = [
    member('unknown'),
    member('dear', { cost: 9 }),
    member('light', { cost: 2, weight: 1 }),
    member('heavy', { cost: 2, weight: 3 }),
  ];
  const around = context();
  expect(
    ids(order(pool, 'cheapest', around))
      .split(' ')
      .slice(2),
  ).toEqual(['dear', 'unknown']);
  expect(shares(() => order(pool, 'cheapest', around)[0], 10_000).get('heavy')).toBeCloseTo(0.75, 1);
});

describe('latency', () => {
  test('of two the faster is taken, counting what is under way there', () => {
    const pool = [member('fast', { latencyMs: 100, outstanding: 9 }), member('slow', { latencyMs: 400 })];
    expect(ids(order(pool, 'latency', context()))).toBe('slow fast');
  });

  test('of three the slowest never comes first, and the others share', () => {
    const pool = [
      member('a', { latencyMs: 100 }),
      member('b', { latencyMs: 200 }),
      member('c', { latencyMs: 900 }),
    ];
    const around = context();
    const first = shares(() => order(pool, 'latency', around)[0], 20_000);
    expect(first.get('c')).toBeUndefined();
    // Two of the three pairs hold the fastest.
    expect(first.get('a')).toBeCloseTo(2 / 3, 1);
  });

  test('an unmeasured member is tried first while it is idle', () => {
    const pool = [member('a', { latencyMs: 1 }), member('new'), member('b', { latencyMs: 1 })];
    for (let seed = 0; seed < 50; seed += 1) {
      expect(order(pool, 'latency', context(seed))[0]?.id).toBe('new');
    }
  });

  test('no second request goes to an unmeasured member while its first is under way', () => {
    const pool = [
      member('a', { latencyMs: 60_000, outstanding: 50 }),
      member('new', { outstanding: 1 }),
      member('b', { latencyMs: 60_000, outstanding: 50 }),
    ];
    for (let seed = 0; seed < 50; seed += 1) {
      expect(order(pool, 'latency', context(seed))[2]?.id).toBe('new');
    }
  });
});

describe('sticky', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((id) => member(id));

  test('a key has the same order each time, whatever chance says', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), fc.integer(), (key, one, other) => {
        expect(ids(order(five, 'sticky', { ...context(one), key }))).toBe(
          ids(order([...five].reverse(), 'sticky', { ...context(other), key })),
        );
      }),
    );
  });

  test('a member that leaves takes only its own place: the order of the others stays', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...five), (key, gone) => {
        const all = order(five, 'sticky', { ...context(), key });
        const rest = order(
          five.filter((each) => each !== gone),
          'sticky',
          { ...context(), key },
        );
        expect(rest).toEqual(all.filter((each) => each !== gone));
      }),
    );
  });

  test('keys spread by weight', () => {
    const pool = [member('a', { weight: 3 }), member('b', { weight: 1 })];
    const first = shares(
      (draw) => order(pool, 'sticky', { ...context(), key: `conversation-${draw}` })[0],
      10_000,
    );
    expect(first.get('a')).toBeCloseTo(0.75, 1);
  });

  test('a member over its bound comes after those that are not, and goes back when it is not', () => {
    const around = { ...context(), key: 'k', stickyBound: { factor: 1.25, floor: 2 } };
    const [first, second] = order(five, 'sticky', around);
    const under = (outstanding: number) =>
      five.map((each) => (each === first ? member(each.id, { outstanding }) : each));
    expect(order(under(1), 'sticky', around)[0]?.id).toBe(first?.id);
    const overflown = order(under(4), 'sticky', around);
    expect(overflown[0]?.id).toBe(second?.id);
    expect(overflown.at(-1)?.id).toBe(first?.id);
  });

  test('the bound rises with the load of the whole tier', () => {
    const around = { ...context(), key: 'k', stickyBound: { factor: 1.25, floor: 2 } };
    const busy = five.map(({ id }) => member(id, { outstanding: 40 }));
    expect(ids(order(busy, 'sticky', around))).toBe(ids(order(five, 'sticky', around)));
  });

  test('without a key it is weighted', () => {
    const around = context();
    expect(shares(() => order(five, 'sticky', around)[0], 10_000).get('a')).toBeCloseTo(0.2, 1);
  });
});
