import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can fail on command. */
export interface TcpProxy {
  readonly port: number;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** Accepts connections and takes bytes, and never answers. */
  blackhole(): void;
  /** The connections that there are take bytes and never answer, as where a machine or a wire is gone; new ones pass bytes. */
  lose(): void;
  /** Passes bytes, each way so much later. */
  delay(ms: number): void;
  /** Passes bytes again; connections from before must be made again. */
  restore(): void;
  stop(): Promise<void>;
}

/** An address with the port of a proxy in front of it, and all else, such as a password, as it is. */
export function addressThrough(url: string, { port }: Pick<TcpProxy, 'port'>): string {
  const address = new URL(url);
  address.port = String(port);
  return address.href;
}

export async function startTcpProxy(target: {
  readonly host?: string;
  readonly port: number;
}): Promise<TcpProxy> {
  let mode: 'pass' | 'delay' | 'cut' | 'blackhole' = 'pass';
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (mode === 'cut') {
      client.destroy();
      return;
    }
    if (mode === 'blackhole') {
      client.resume();
      return;
    }
    const upstream = connect(target.port, target.host ?? '127.0.0.1');
    keep(upstream);
    const passTo = (to: Socket) => {
      const pass = passInOrder(to);
      return (chunk: Buffer) => {
        if (mode === 'blackhole' || lost.has(to)) return;
        pass(chunk, mode === 'delay' ? delayMs : 0);
      };
    };
    client.on('data', passTo(upstream));
    upstream.on('data', passTo(client));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address !== 'object') throw new Error('the proxy has no port');
  const dropAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    port: address.port,
    cut() {
      mode = 'cut';
      dropAll();
    },
    blackhole() {
      mode = 'blackhole';
    },
    lose() {
      for (const socket of sockets) lost.add(socket);
    },
    delay(ms) {
      mode = 'delay';
      delayMs = ms;
    },
    restore() {
      mode = 'pass';
      dropAll();
    },
    stop() {
      dropAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Writes each chunk so much later, and never before one that came first: a delay may get shorter while some are held up. */
function passInOrder(to: Socket): (chunk: Buffer, afterMs: number) => void {
  const waiting: { readonly chunk: Buffer; readonly dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  function writeDue(): void {
    timer = undefined;
    for (let [next] = waiting; next; [next] = waiting) {
      const leftMs = next.dueAt - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(writeDue, Math.ceil(leftMs));
        return;
      }
      waiting.shift();
      to.write(next.chunk);
    }
  }
  return (chunk, afterMs) => {
    waiting.push({ chunk, dueAt: performance.now() + afterMs });
    if (timer === undefined) writeDue();
  };
}
