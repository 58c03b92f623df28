import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { loadConfig, runService } from '@tollgate/platform/process';
import { gatewayConfigSchema } from './config.ts';
import { answerPings } from './cores/kill-when-stuck.ts';
import type { ToSupervisor } from './cores/messages.ts';
import { ALONE, placeIn, processesOf } from './cores/process-place.ts';
import { startProcesses } from './cores/start-processes.ts';

// What is allocated for a request dies with it. In a busy first second V8 may take that for what stays, and from then on
// makes it among its old objects, where garbage is dear.
setFlagsFromString('--no-allocation-site-pretenuring');

const place = placeIn(process.argv.slice(2));
if (place) answerPings();

await runService('gateway', async () => {
  const config = loadConfig(gatewayConfigSchema);
  const processes = processesOf(config.GATEWAY_PROCESSES);
  if (!place && processes > 1) return startProcesses(config, processes, fileURLToPath(import.meta.url));

  // Not needed by the process that only supervises others.
  const { startGateway } = await import('./start.ts');
  const service = await startGateway(config, place ?? ALONE);
  const listening: ToSupervisor = { kind: 'listening', url: service.url };
  if (place) process.send?.(listening);
  return { service, graceS: config.SHUTDOWN_GRACE_S, drainS: config.DRAIN_S };
});
