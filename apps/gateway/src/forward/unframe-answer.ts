import { type Readable, Transform } from 'node:stream';
import { createFrameReader, type ReadFrame } from '@tollgate/protocols';

/**
 * The frames of an upstream's stream as server-sent events, which everything behind this reads. A stream with a fault ends
 * before it, and one that ends inside a frame before that frame: without the event that ends an answer it was cut, and what
 * came before is the caller's.
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
      if (!reader.isBroken()) return;
      body.unpipe(events);
      events.end();
      body.destroy();
    },
  });
  // One that breaks off between two readers must not be an uncaught error.
  for (const stream of [body, events]) stream.on('error', () => {});
  body.once('error', (error) => {
    if (!reader.isBroken()) events.destroy(error);
  });
  events.once('close', () => body.destroy());
  return body.pipe(events);
}
