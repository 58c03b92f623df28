import fc from 'fast-check';
import { createBodyMemory } from './body-memory.ts';
import { createPayload, parsedBytes } from './payload.ts';

const LIMITS = { bodyMemoryBytes: 1_000, keyBodyMemoryBytes: 600 };

test('a key has its part, and all of them have no more than there is', () => {
  const memory = createBodyMemory(LIMITS);
  const [first, second, third, other] = ['a', 'a', 'a', 'b'].map((key) => memory.lease(key));
  expect(first?.take(400)).toBeUndefined();
  expect(second?.take(200)).toBeUndefined();
  expect(third?.take(1)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 1_000 });
  expect(other?.take(401)).toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
  expect(other?.take(400)).toBeUndefined();
  first?.give(100);
  expect(third?.take(101)).toMatchObject({ kind: 'rate_limited' });
  expect(third?.take(100)).toBeUndefined();
});

test('whatever is taken and given, what is held is what the leases hold, and in the end nothing', () => {
  const steps = fc.array(
    fc.record({
      lease: fc.nat({ max: 5 }),
      what: fc.constantFrom('take', 'give', 'release'),
      bytes: fc.nat({ max: 400 }),
    }),
  );
  fc.assert(
    fc.property(steps, (list) => {
      const memory = createBodyMemory(LIMITS);
      const leases = ['a', 'a', 'a', 'b', 'b', 'c'].map((key) => ({
        key,
        lease: memory.lease(key),
        held: 0,
      }));
      for (const { lease: index, what, bytes } of list) {
        const each = leases[index];
        if (!each) continue;
        if (what === 'take') each.held += each.lease.take(bytes) ? 0 : bytes;
        else if (what === 'give') {
          each.lease.give(bytes);
          each.held -= Math.min(bytes, each.held);
        } else {
          each.lease.release();
          each.held = 0;
        }
        const sum = (some: typeof leases) => some.reduce((total, { held }) => total + held, 0);
        expect(memory.heldBytes).toBe(sum(leases));
        expect(memory.heldBytes).toBeLessThanOrEqual(LIMITS.bodyMemoryBytes);
        for (const key of ['a', 'b', 'c'])
          expect(sum(leases.filter((one) => one.key === key))).toBeLessThanOrEqual(LIMITS.keyBodyMemoryBytes);
      }
      for (const { lease } of leases) lease.release();
      expect(memory.heldBytes).toBe(0);
    }),
  );
});

const body = { model: 'm', list: [1, 2, 3] };
const bytes = Buffer.from(JSON.stringify(body));

function largePayload() {
  const memory = createBodyMemory({ bodyMemoryBytes: 10_000, keyBodyMemoryBytes: 10_000 });
  const lease = memory.lease('a');
  lease.take(bytes.length);
  lease.take(parsedBytes(bytes.length, 6));
  return { memory, payload: createPayload(bytes, body, { lease, values: 6 }) };
}

test('the values of a large body are let go once a request was made of it, and read again for another one', () => {
  const { memory, payload } = largePayload();
  expect(payload.json).toBe(body);
  expect(memory.heldBytes).toBe(2 * bytes.length + 6 * 64);
  payload.used();
  expect(memory.heldBytes).toBe(bytes.length);
  expect(payload.json).toEqual(body);
  expect(payload.json).not.toBe(body);
  payload.used();
  expect(memory.heldBytes).toBe(bytes.length);
});

test('what was let go is not read, and is counted until the request has ended', () => {
  const { memory, payload } = largePayload();
  payload.used();
  payload.letGo();
  expect(() => payload.bytes).toThrow('was let go');
  expect(() => payload.json).toThrow('was let go');
  expect(memory.heldBytes).toBe(bytes.length);
  payload[Symbol.dispose]();
  expect(memory.heldBytes).toBe(0);
});

test('the values of a small body stay for other tries', () => {
  const lease = createBodyMemory(LIMITS).lease('a');
  const payload = createPayload(bytes, body, { lease, values: 6 });
  payload.used();
  expect(payload.json).toBe(body);
});

test('a body that is said otherwise is let go, and given back, with the one that came', () => {
  const { memory, payload } = largePayload();
  const changed = payload.changed(Buffer.from('{"model":"n"}'), { model: 'n' });
  changed.used();
  expect(memory.heldBytes).toBe(bytes.length);
  expect(changed.json).toEqual({ model: 'n' });
  payload.letGo();
  expect(() => changed.bytes).toThrow('was let go');
});
