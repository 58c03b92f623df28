/** How long a body may take before its rate counts. */
const RATE_FROM_MS = 5_000;
const RATE_EVERY_MS = 500;

/** A body that is being read. */
export interface Arriving {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly leastBytesPerS: number;
  /** What has come so far, packed as it may be. */
  bytes(): number;
  tooSlow(): void;
}

// One timer for all bodies: most are whole before it could ever ring.
const arriving = new Set<Arriving>();
let timer: NodeJS.Timeout | undefined;

/** Tells a body that comes too slowly so, until it is forgotten. */
export function watchRate(body: Arriving): void {
  arriving.add(body);
  timer ??= setInterval(look, RATE_EVERY_MS).unref();
}

export function forgetRate(body: Arriving): void {
  arriving.delete(body);
}

function look(): void {
  if (arriving.size === 0) {
    clearInterval(timer);
    timer = undefined;
    return;
  }
  const now = Date.now();
  for (const body of [...arriving]) {
    const elapsedMs = now - body.startedAt;
    if (elapsedMs >= RATE_FROM_MS && body.bytes() * 1_000 < body.leastBytesPerS * elapsedMs) body.tooSlow();
  }
}
