import { createServer, request } from 'node:http';

/** Stands before an upstream and fails every second request, each time in another way. */
export interface FlakyUpstream {
  readonly url: string;
  readonly passed: () => number;
  readonly failed: () => number;
  stop(): Promise<void>;
}

const WAYS = ['500', '503', 'ended before its head', 'ended in its head', 'garbage'] as const;

export async function startFlakyUpstream(target: string): Promise<FlakyUpstream> {
  let count = 0;
  let failed = 0;
  const server = createServer((incoming, outgoing) => {
    count += 1;
    if (count % 2 === 0) {
      const way = WAYS[failed % WAYS.length];
      failed += 1;
      incoming.resume();
      incoming.once('end', () => {
        if (way === '500' || way === '503') outgoing.writeHead(Number(way)).end('{"error":{"message":"no"}}');
        else if (way === 'garbage')
          outgoing.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
        else {
          if (way === 'ended in its head') outgoing.socket?.write('HTTP/1.1 200 OK\r\ncontent-ty');
          outgoing.socket?.end();
        }
      });
      return;
    }
    const { method, headers } = incoming;
    const onward = request(`${target}${incoming.url}`, { method: method ?? 'GET', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address !== 'object') throw new Error('the upstream has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    passed: () => count - failed,
    failed: () => failed,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
