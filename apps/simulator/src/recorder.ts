/** A request as it reached the simulator. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body's bytes as UTF-8. */
  readonly body: string;
}

const MAX_REQUESTS = 1_000;

export interface Recorder {
  /** Switched off for load, where it would cost memory. */
  enabled: boolean;
  add(request: RecordedRequest): void;
  all(): readonly RecordedRequest[];
  clear(): void;
}

export function createRecorder(): Recorder {
  let requests: RecordedRequest[] = [];
  const recorder: Recorder = {
    enabled: true,
    add(request) {
      if (!recorder.enabled) return;
      requests.push(request);
      if (requests.length > MAX_REQUESTS) requests = requests.slice(-MAX_REQUESTS / 2);
    },
    all: () => requests,
    clear: () => void (requests = []),
  };
  return recorder;
}
