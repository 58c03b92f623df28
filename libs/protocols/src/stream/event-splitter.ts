import { createJsonArraySplitter } from './json-array-splitter.ts';
import { createSseSplitter } from './sse-splitter.ts';

/** Cuts a stream into the data of its events, however it is framed. */
export interface EventSplitter {
  /** The events that these bytes, cut anywhere, complete. */
  push(chunk: Buffer): string[];
  /** What the end of the stream leaves without an end of its own. */
  flush(): string[];
  held(): number;
}

export function createEventSplitter(framing: 'sse' | 'json-array'): EventSplitter {
  if (framing === 'json-array') {
    const splitter = createJsonArraySplitter();
    const elements = (pieces: ReturnType<typeof splitter.push>) =>
      pieces.flatMap(({ element }) => element ?? []);
    return { push: (chunk) => elements(splitter.push(chunk)), flush: () => [], held: splitter.held };
  }
  const splitter = createSseSplitter();
  const data = (records: ReturnType<typeof splitter.push>) => records.flatMap((record) => record.data ?? []);
  return {
    push: (chunk) => data(splitter.push(chunk)),
    flush: () => data(splitter.flush()),
    held: splitter.held,
  };
}
