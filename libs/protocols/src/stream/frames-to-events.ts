import { createEventFrameSplitter, type EventFrame, EventStreamError } from './aws-event-stream.ts';

/** The bytes of the event that a frame stands for; undefined for a frame that says nothing. */
export type ReadFrame = (frame: EventFrame) => string | undefined;

export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

/** Turns a stream of frames into server-sent events, so that nothing behind it must know of frames. */
interface FrameReader {
  /** The events that these bytes, cut anywhere, complete; up to a fault, behind which nothing is read any more. */
  push(chunk: Buffer): Buffer | undefined;
  /** Whether the stream has a fault. */
  isBroken(): boolean;
}

export function createFrameReader(readFrame: ReadFrame): FrameReader {
  const splitter = createEventFrameSplitter();
  let broken = false;
  return {
    push(chunk) {
      if (broken) return undefined;
      let text = '';
      try {
        for (const frame of splitter.push(chunk)) text += readFrame(frame) ?? '';
      } catch (error) {
        if (!(error instanceof EventStreamError)) throw error;
        broken = true;
      }
      return text === '' ? undefined : Buffer.from(text);
    },
    isBroken: () => broken,
  };
}
