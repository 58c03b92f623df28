import { request as httpRequest } from 'node:http';
import { waitFor } from '@tollgate/harness';
import type { TestStack } from './shared-stack.ts';

/** When a client goes away; with its last word it has all of the answer but the report of what was used. */
export const MOMENTS = ['before the first byte', 'after the first event', 'with the last word'] as const;
export type Moment = (typeof MOMENTS)[number];

interface Leaving {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Holds `mark`, which no other request does. */
  readonly body: object;
  readonly mark: string;
  readonly moment: Moment;
  /** Of the answer. */
  readonly lastWord: string;
  /** Resets the connection in place of closing it. */
  readonly isReset?: boolean;
  /** An address of the loopback network to come from. */
  readonly from?: string;
}

/** Sends a request that reaches the upstream, and goes away at that moment. */
export async function sendAndLeave(
  at: Pick<TestStack, 'baseUrl' | 'simulatorUrl'>,
  leaving: Leaving,
): Promise<void> {
  const { moment, mark, lastWord, isReset = false, from } = leaving;
  const left = Promise.withResolvers<void>();
  const request = httpRequest(
    `${at.baseUrl}${leaving.path}`,
    {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...leaving.headers },
      ...(from === undefined ? {} : { localAddress: from }),
    },
    (answer) => {
      let text = '';
      answer.on('error', () => {});
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (moment === 'after the first event' || text.includes(lastWord)) leave();
      });
      answer.on('end', () => left.reject(new Error(`the answer ended before: ${answer.statusCode} ${text}`)));
    },
  );
  const leave = () => {
    if (isReset) request.socket?.resetAndDestroy();
    request.destroy();
    left.resolve();
  };
  request.on('error', () => {});
  request.end(JSON.stringify(leaving.body));
  if (moment === 'before the first byte')
    void waitFor(() => hasCome(at.simulatorUrl, mark), 'the request upstream', 20_000, 100).then(
      leave,
      left.reject,
    );
  await left.promise;
}

async function hasCome(simulatorUrl: string, mark: string): Promise<boolean> {
  const query = new URLSearchParams({ text: mark }).toString();
  const found = (await (await fetch(`${simulatorUrl}/__sim/requests?${query}`)).json()) as unknown[];
  return found.length > 0;
}
