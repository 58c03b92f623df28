import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CloudState } from './faults.ts';

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Adds an end point that gives out tokens or keys: it hangs, fails or is late where it is told to. */
export function addIdentityRoute(
  server: FastifyInstance,
  state: CloudState,
  [method, url]: readonly ['GET' | 'POST' | 'PUT', string],
  answer: Answer,
): void {
  server.route({
    method,
    url,
    async handler(request, reply) {
      const { hang, status, delay_ms } = state.faults;
      if (hang) {
        reply.hijack();
        return undefined;
      }
      if (delay_ms) await sleep(delay_ms);
      if (status !== undefined) return reply.code(status).send({ error: 'told_to_fail' });
      return answer(request, reply);
    },
  });
}

export const readForm = ({ body }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(String(body ?? ''));
