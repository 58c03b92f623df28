import { firstValueFrom, timeout } from 'rxjs';
import type { z } from 'zod';
import { clientTls, isRefusedSecret, type ServiceSecrets } from './service-secrets.ts';

export interface RequestReplyClient {
  /**
   * Asks another service and checks what it answers.
   *
   * @throws when the service is away, does not answer within `timeoutMs`, or answers in another shape.
   */
  request<T>(pattern: string, payload: object, answer: z.ZodType<T>, timeoutMs?: number): Promise<T>;
  close(): void;
}

/**
 * A client of another service's TCP microservice listener; it connects at the first request and again after a loss.
 *
 * @param secrets the first proves that this service may ask, and that the listener is the one it claims to be.
 * @param patienceMs how long an answer may take where a request does not say it.
 */
export function createRequestReplyClient(
  tcpUrl: string,
  secrets: ServiceSecrets,
  patienceMs = 2_000,
): RequestReplyClient {
  const { hostname, port } = new URL(tcpUrl);
  let refused = false;
  // Who starts no service and asks none, such as a migration, does without this large package.
  const loading = import('@nestjs/microservices').then(({ ClientTCP }) => {
    const client = new ClientTCP({ host: hostname, port: Number(port), tlsOptions: clientTls(secrets) });
    client.on('error', (error) => {
      refused = isRefusedSecret(error);
    });
    return client;
  });
  return {
    async request(pattern, payload, answer, timeoutMs = patienceMs) {
      const client = await loading;
      refused = false;
      try {
        const reply: unknown = await firstValueFrom(client.send(pattern, payload).pipe(timeout(timeoutMs)));
        return answer.parse(reply ?? null);
      } catch (error) {
        if (!refused) throw error;
        throw new Error(`${tcpUrl} knows none of our SERVICE_SECRETS: give both services the same`, {
          cause: error,
        });
      }
    },
    close: () => void loading.then((client) => client.close()),
  };
}
