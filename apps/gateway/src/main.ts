import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { loadConfig, runService } from '@tollgate/platform/process';
import { gatewayConfigSchema } from './config.ts';
import { answerPings } from './cluster/kill-when-stuck.ts';
import type { ToSupervisor } from './cluster/messages.ts';
import { SINGLE, parseWorker, countWorkers } from './cluster/worker.ts';
import { startWorkers } from './cluster/start-workers.ts';

// What is allocated for a request dies with it. In a busy first second V8 may take that for what stays, and from then on
// makes it among its old objects, where garbage is dear.
setFlagsFromString('--no-allocation-site-pretenuring');

const worker = parseWorker(process.argv.slice(2));
if (worker) answerPings();

await runService('gateway', async () => {
  const config = loadConfig(gatewayConfigSchema);
  const processes = countWorkers(config.GATEWAY_PROCESSES);
  if (!worker && processes > 1) return startWorkers(config, processes, fileURLToPath(import.meta.url));

  // Not needed by the process that only supervises others.
  const { startGateway } = await import('./start.ts');
  const service = await startGateway(config, worker ?? SINGLE);
  const listening: ToSupervisor = { kind: 'listening', url: service.url };
  if (worker) process.send?.(listening);
  return { service, graceS: config.SHUTDOWN_GRACE_S, drainS: config.DRAIN_S };
});
