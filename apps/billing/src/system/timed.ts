/** How a part of the system answered: `state` is what it said, null where it did not. */
interface Looked<T> {
  readonly up: boolean;
  /** Milliseconds until it answered or failed. */
  readonly latency_ms: number;
  readonly error: string | null;
  readonly state: T | null;
}

/** Asks a part of the system how it is. Never rejects: what fails or takes longer than `timeoutMs` is down. */
export async function look<T>(ask: () => Promise<T>, timeoutMs: number): Promise<Looked<T>> {
  const beganAt = performance.now();
  const latency = () => Math.round((performance.now() - beganAt) * 10) / 10;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const state = await Promise.race([ask(), late]);
    return { up: true, latency_ms: latency(), error: null, state };
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : String(error);
    return { up: false, latency_ms: latency(), error: reason, state: null };
  } finally {
    clearTimeout(timer);
  }
}
