import { addDefaultHeaders } from '@tollgate/protocols';
import type { OpenCredential, UpstreamClient } from '../route/upstream-client.ts';
import { toStatusOutcome } from '../forward/status-policy.ts';
import type { HealthRegistry } from '../health/registry.ts';
import { sendWithProof } from '../upstream-auth/send-with-proof.ts';
import { findModelsTarget } from './upstream-target.ts';

const LOOK_MS = 250;
const MAX_WAIT_MS = 10_000;

interface Probed {
  readonly client: UpstreamClient;
  readonly credential: OpenCredential;
}

/**
 * Asks ejected upstreams that want it for their list of models, at their interval, so that one that has recovered is
 * found without spending callers' requests on it.
 */
export function startProbes(
  health: HealthRegistry,
  targets: () => readonly Probed[],
): { close(): Promise<void> } {
  const lastAt = new Map<string, number>();
  const running = new Map<string, Promise<void>>();

  function look(): void {
    const now = performance.now();
    for (const probed of targets()) {
      const { targetId } = probed.credential;
      const interval = probed.client.upstream.probe_interval_s;
      const target = health.target(targetId);
      if (interval === null || !target?.ejected(now) || running.has(targetId)) continue;
      if (['cooling_down', 'disabled'].includes(target.availability(now))) continue;
      if (now - (lastAt.get(targetId) ?? Number.NEGATIVE_INFINITY) < interval * 1_000) continue;
      lastAt.set(targetId, now);
      running.set(
        targetId,
        probe(probed, health).finally(() => running.delete(targetId)),
      );
    }
  }

  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}

async function probe({ client, credential }: Probed, health: HealthRegistry): Promise<void> {
  const { upstream, setHeaders } = client;
  const protocol = upstream.protocols.find((each) => findModelsTarget(upstream, each) !== undefined);
  const path = protocol && findModelsTarget(upstream, protocol);
  // One that lists no models finds its way back by the requests of callers.
  if (!protocol || !path) return;
  const attempt = health.target(credential.targetId)?.begin();
  if (!attempt) return;
  const beganAt = performance.now();
  const elapsedMs = () => performance.now() - beganAt;
  try {
    const headers = addDefaultHeaders(protocol, { accept: 'application/json' });
    Object.assign(headers, setHeaders);
    const answer = await sendWithProof(
      { client, credential },
      { method: 'GET', origin: client.origin, path, protocol, headers, body: undefined },
      AbortSignal.timeout(Math.min(MAX_WAIT_MS, upstream.first_byte_timeout_ms)),
    );
    await answer.body.dump();
    attempt.record(toStatusOutcome(answer.statusCode, answer.headers, Date.now(), elapsedMs()));
  } catch {
    attempt.record({ kind: 'failed', cause: 'broken', elapsedMs: elapsedMs() });
  } finally {
    attempt.end();
  }
}
