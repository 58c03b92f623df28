import { type Readable, Transform } from 'node:stream';
import { createFrameReader, type ReadFrame } from '@tollgate/protocols';

/**
 * The frames of an upstream's stream as server-sent events, which everything behind this reads. A stream with a fault, or that
 * ends inside a frame, breaks off.
 */
export function unframeAnswer(body: Readable, readFrame: ReadFrame): Readable {
  const reader = createFrameReader(readFrame);
  const events = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        done(null, reader.push(chunk));
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        reader.end();
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // One that breaks off between two readers must not be an uncaught error.
  for (const stream of [body, events]) stream.on('error', () => {});
  body.once('error', (error) => events.destroy(error));
  events.once('close', () => body.destroy());
  return body.pipe(events);
}
