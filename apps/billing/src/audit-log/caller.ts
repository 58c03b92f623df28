import { AsyncLocalStorage } from 'node:async_hooks';
import type { Session } from '@tollgate/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const audited = new WeakSet<FastifyRequest>();
const requests = new AsyncLocalStorage<FastifyRequest & { readonly person?: Session }>();

/** Who is behind what is being done. */
interface Caller {
  readonly requestId: string;
  readonly address: string;
  /** Nobody before they are signed in. */
  readonly person: Session | undefined;
}

/** Lets {@link currentCaller} be asked in everything that a request's handler does. */
export function rememberCallers(fastify: FastifyInstance): void {
  // After the body: the events of its stream do not keep the context.
  fastify.addHook('preHandler', (request, _reply, done) => requests.run(request, done));
}

/** Says that what the request that is under way does is in the audit log. */
export function noteAudited(): void {
  const request = requests.getStore();
  if (request) audited.add(request);
}

export function isAudited(): boolean {
  const request = requests.getStore();
  return request !== undefined && audited.has(request);
}

/** Undefined in what no request asked for. */
export function currentCaller(): Caller | undefined {
  const request = requests.getStore();
  return request && { requestId: request.id, address: request.ip, person: request.person };
}
