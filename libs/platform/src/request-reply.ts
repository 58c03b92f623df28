import { firstValueFrom, timeout } from 'rxjs';
import type { z } from 'zod';

export interface RequestReplyClient {
  /**
   * Asks another service and checks what it answers.
   *
   * @throws when the service is away, does not answer within `timeoutMs`, or answers in another shape.
   */
  request<T>(pattern: string, payload: object, answer: z.ZodType<T>, timeoutMs?: number): Promise<T>;
  close(): void;
}

/** A client of another service's TCP microservice listener; it connects at the first request and again after a loss. */
export function createRequestReplyClient(tcpUrl: string): RequestReplyClient {
  const { hostname, port } = new URL(tcpUrl);
  // Who starts no service and asks none, such as a migration, does without this large package.
  const loading = import('@nestjs/microservices').then(
    ({ ClientTCP }) => new ClientTCP({ host: hostname, port: Number(port) }),
  );
  return {
    async request(pattern, payload, answer, timeoutMs = 2_000) {
      const client = await loading;
      const reply: unknown = await firstValueFrom(client.send(pattern, payload).pipe(timeout(timeoutMs)));
      return answer.parse(reply ?? null);
    },
    close: () => void loading.then((client) => client.close()),
  };
}
