/** How long a body may take before its rate counts. */
const RATE_FROM_MS = 5_000;
const RATE_EVERY_MS = 500;

/** A body that is being read. */
interface Arriving {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly leastBytesPerS: number;
  /** What has come so far, packed as it may be. */
  bytes(): number;
  tooSlow(): void;
}

// One timer for all bodies: most are whole before it could ever ring. A Set would be simpler, but the tables that a busy
// one leaves behind keep what was in them alive for the garbage collector's young generation.
const arriving: { readonly body: Arriving; at: number }[] = [];
let timer: NodeJS.Timeout | undefined;

/** Tells a body that comes too slowly so. @returns ends that. */
export function watchRate(body: Arriving): () => void {
  const place = { body, at: arriving.length };
  arriving.push(place);
  timer ??= setInterval(look, RATE_EVERY_MS).unref();
  return () => {
    if (place.at < 0) return;
    const last = arriving.pop();
    if (last && last !== place) {
      arriving[place.at] = last;
      last.at = place.at;
    }
    place.at = -1;
  };
}

function look(): void {
  if (arriving.length === 0) {
    clearInterval(timer);
    timer = undefined;
    return;
  }
  const now = Date.now();
  for (const { body } of [...arriving]) {
    const elapsedMs = now - body.startedAt;
    if (elapsedMs >= RATE_FROM_MS && body.bytes() * 1_000 < body.leastBytesPerS * elapsedMs) body.tooSlow();
  }
}
