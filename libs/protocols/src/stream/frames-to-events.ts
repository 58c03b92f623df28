import { createEventFrameSplitter, type EventFrame, EventStreamError } from './aws-event-stream.ts';

/** The bytes of the event that a frame stands for; undefined for a frame that says nothing. */
export type ReadFrame = (frame: EventFrame) => string | undefined;

export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

/** Turns a stream of frames into server-sent events, so that nothing behind it must know of frames. */
interface FrameReader {
  /** The events that these bytes, cut anywhere, complete. @throws EventStreamError */
  push(chunk: Buffer): Buffer | undefined;
  /** @throws EventStreamError where the stream ends inside a frame */
  end(): void;
}

export function createFrameReader(readFrame: ReadFrame): FrameReader {
  const splitter = createEventFrameSplitter();
  return {
    push(chunk) {
      const text = splitter
        .push(chunk)
        .map((frame) => readFrame(frame) ?? '')
        .join('');
      return text === '' ? undefined : Buffer.from(text);
    },
    end() {
      if (splitter.held() > 0) throw new EventStreamError('the stream ends inside a frame');
    },
  };
}
