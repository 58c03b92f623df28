import type { RunningService, ServiceDefinition } from './service-definition.ts';

/** Starts a Nest service on Fastify, with health routes and, where it is asked for, a TCP listener. */
export async function startService(definition: ServiceDefinition): Promise<RunningService> {
  // Most of what a service loads; programs that serve nothing, such as migrations, do without.
  const { startNest } = await import('./nest-service.ts');
  return startNest(definition);
}
