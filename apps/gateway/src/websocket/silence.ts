const PING_EVERY_MS = 30_000;

/** What moves over a connection, below its messages. */
export interface Transport {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly writableLength: number;
}

/** Whether a connection is alive, by what came over it or could be sent. */
export function watchSilence(transport: Transport) {
  const count = () => transport.bytesRead + transport.bytesWritten - transport.writableLength;
  let moved = count();
  let heardAt = performance.now();
  let pingedAt = heardAt;
  return {
    heard: () => void (heardAt = performance.now()),
    look(now: number): 'alive' | 'silent' | 'dead' {
      const bytes = count();
      if (bytes !== moved) heardAt = now;
      moved = bytes;
      if (now - heardAt >= 2 * PING_EVERY_MS) return 'dead';
      if (now - heardAt < PING_EVERY_MS || now - pingedAt < PING_EVERY_MS) return 'alive';
      pingedAt = now;
      return 'silent';
    },
  };
}
