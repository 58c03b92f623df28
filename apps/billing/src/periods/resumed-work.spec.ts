import { awaitWork } from './resumed-work.ts';

test('what is asked for is looked for first, and whoever asked waits for its end', async () => {
  const steps: string[] = [];
  const read = () => {
    steps.push('read');
    return Promise.resolve({ ended_at: steps.length > 3 ? 'now' : null, reads: steps.length });
  };
  const work = { wake: () => void steps.push('wake') };
  expect(await awaitWork(work, read, 60_000)).toEqual({ ended_at: 'now', reads: 4 });
  expect(steps).toEqual(['wake', 'read', 'read', 'read']);
});

test('of what takes longer than two seconds they are told how far it is', async () => {
  const startedAt = performance.now();
  expect(await awaitWork({ wake: () => {} }, () => Promise.resolve({ ended_at: null, checked: 7 }))).toEqual({
    ended_at: null,
    checked: 7,
  });
  expect(performance.now() - startedAt).toBeGreaterThan(1_950);
});
