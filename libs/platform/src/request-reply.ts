import type { Socket } from 'node:net';
import type { ClientTCP } from '@nestjs/microservices';
import { firstValueFrom, timeout, TimeoutError } from 'rxjs';
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
 * A connection on which answers are due, and on which nothing came for so long, is made again. Where a machine or a wire is gone, nobody
 * says so: the system would try for a quarter of an hour, and every request until then wait for its time-out.
 */
const SILENT_MAX_MS = 10_000;

/**
 * A client of another service's TCP microservice listener; it connects at the first request and again after a loss.
 *
 * @param secrets the first proves that this service may ask, and that the listener is the one it claims to be.
 * @param patienceMs how long an answer may take where a request does not say it.
 * @param silentMaxMs how long a connection may be silent on which answers are due.
 */
export function createRequestReplyClient(
  tcpUrl: string,
  secrets: ServiceSecrets,
  patienceMs = 2_000,
  silentMaxMs = SILENT_MAX_MS,
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
  let silence: Heard | undefined;
  /** Leaves the connection that a request was sent on where it has been silent for too long. */
  function leaveSilent(sent: Heard | undefined): void {
    if (!sent || sent.socket.bytesRead !== sent.bytes) return;
    if (silence?.socket !== sent.socket || silence.bytes !== sent.bytes) silence = sent;
    if (performance.now() - silence.at >= silentMaxMs) silence.socket.destroy();
  }

  return {
    async request(pattern, payload, answer, timeoutMs = patienceMs) {
      const client = await loading;
      refused = false;
      const replies = firstValueFrom(client.send(pattern, payload).pipe(timeout(timeoutMs)));
      const sent = heardOn(client);
      try {
        const reply: unknown = await replies;
        return answer.parse(reply ?? null);
      } catch (error) {
        if (error instanceof TimeoutError) leaveSilent(sent);
        if (!refused) throw error;
        throw new Error(`${tcpUrl} knows none of our SERVICE_SECRETS: give both services the same`, {
          cause: error,
        });
      }
    },
    close: () => void loading.then((client) => client.close()),
  };
}

/** How many bytes have come on a connection, and when they were counted. */
interface Heard {
  readonly socket: Socket;
  readonly bytes: number;
  readonly at: number;
}

/** Of the connection that a client has or makes. */
function heardOn(client: ClientTCP): Heard | undefined {
  try {
    const socket = client.unwrap<Socket>();
    return { socket, bytes: socket.bytesRead, at: performance.now() };
  } catch {
    // It has none.
    return undefined;
  }
}
