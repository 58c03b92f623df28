/** How long a body may take before its rate counts. */
const RATE_FROM_MS = 5_000;
const RATE_EVERY_MS = 500;

/** A body that is being read. */
interface Arriving {
  /** By `performance.now()`: a clock that is set makes no body slow. */
  readonly startedAt: number;
  readonly leastBytesPerS: number;
  /** Where nothing else ends it: milliseconds for all of it, and in which each part of it must keep to `leastBytesPerS`. */
  readonly atMost?: { readonly totalMs: number; readonly stallMs: number };
  /** What has come so far, packed as it may be. */
  bytes(): number;
  /** It has come whole, or waits because of us: that is not the client's slowness. */
  isHeld(): boolean;
  tooSlow(): void;
}

// One timer for all bodies: most are whole before it could ever ring. A Set would be simpler, but the tables that a busy
// one leaves behind keep what was in them alive for the garbage collector's young generation.
const arriving: { readonly body: Arriving; at: number; seen: Seen }[] = [];

/** How much had come at a moment, by `performance.now()`. */
interface Seen {
  readonly at: number;
  readonly bytes: number;
}
let timer: NodeJS.Timeout | undefined;

/** Tells a body that comes too slowly so. @returns ends that. */
export function watchRate(body: Arriving): () => void {
  const place = { body, at: arriving.length, seen: { at: body.startedAt, bytes: 0 } };
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
  const now = performance.now();
  for (const place of [...arriving]) {
    const { startedAt, leastBytesPerS, atMost } = place.body;
    const bytes = place.body.bytes();
    if (place.body.isHeld()) {
      place.seen = { at: now, bytes };
      continue;
    }
    const isSlow = (from: Seen) => (bytes - from.bytes) * 1_000 < leastBytesPerS * (now - from.at);
    if (now - startedAt >= RATE_FROM_MS && isSlow({ at: startedAt, bytes: 0 })) place.body.tooSlow();
    else if (atMost && now - startedAt >= atMost.totalMs) place.body.tooSlow();
    else if (atMost && now - place.seen.at >= atMost.stallMs) {
      if (isSlow(place.seen)) place.body.tooSlow();
      else place.seen = { at: now, bytes };
    }
  }
}
