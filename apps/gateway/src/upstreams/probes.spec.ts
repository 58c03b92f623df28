import { waitFor } from '@tollgate/harness';
import { azureUpstream, buildTable, simulate, upstream } from '../../testing/forwarding.ts';
import { startProbes } from './probes.ts';

test('a token that has ended is replaced: its refusal is no word against the credential', async () => {
  const simulated = await simulate();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => simulated.close());
  const { table, health, close } = buildTable({
    upstreams: [
      azureUpstream(simulated.url, { probe_interval_s: 60 }),
      upstream('other', simulated.url, ['one', 'two']),
    ],
    // Half of a pool may be held back.
    pool: { members: [{ upstream: 'azure' }, { upstream: 'other' }] },
  });
  stack.defer(close);
  const target = health.target(table.targets[0]?.credential.targetId ?? '');
  if (!target) throw new Error('there is no such target');
  for (let failures = 0; failures < 5; failures += 1) {
    const attempt = target.begin();
    attempt.record({ kind: 'failed', cause: 'broken', elapsedMs: 1 });
    attempt.end();
  }
  expect(target.availability(performance.now())).toBe('ejected');
  await fetch(`${simulated.url}/__sim/clouds`, { method: 'PUT', body: '{"refuse_next":1}' });
  const probes = startProbes(health, () => table.targets);
  stack.defer(() => probes.close());
  await waitFor(() => target.tally.outcomes.answered === 1, 'an answer to the probe');
  expect(target.availability(performance.now())).not.toBe('disabled');
});
