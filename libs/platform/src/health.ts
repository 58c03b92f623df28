import type { FastifyInstance } from 'fastify';

type HealthCheck = () => void | Promise<void>;

/** What a service needs before it may be sent requests; a check that throws means "not ready". */
export class Health {
  readonly #checks = new Map<string, HealthCheck>();
  #stopping = false;

  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** From now on not ready, whatever the checks say: the service finishes what it has. */
  stopping(): void {
    this.#stopping = true;
  }

  async report(): Promise<{ ready: boolean; checks: Record<string, string> }> {
    const checks = await Promise.all(
      [...this.#checks].map(async ([name, check]) => {
        try {
          await check();
          return [name, 'ok'] as const;
        } catch (error) {
          return [name, error instanceof Error ? error.message : String(error)] as const;
        }
      }),
    );
    if (this.#stopping) checks.push(['shutdown', 'stopping'] as const);
    return { ready: checks.every(([, state]) => state === 'ok'), checks: Object.fromEntries(checks) };
  }
}

/** `/healthz`: the process answers. `/readyz`: 200 when every check holds, else 503 with the reasons. */
export function serveHealth(fastify: FastifyInstance, health: Health): void {
  fastify.get('/healthz', () => ({ status: 'ok' }));
  fastify.get('/readyz', async (_request, reply) => {
    const { ready, checks } = await health.report();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'not ready', checks });
  });
}
