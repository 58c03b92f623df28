import { PassThrough, pipeline, type Readable, Transform } from 'node:stream';
import { parseContentCoding, createDecoder, isBomb } from '../body/content-coding.ts';

/** Events of a stream repeat nearly all of what they hold, and pack to a hundredth. */
const MAX_RATIO = 200;

/**
 * Unpacks the body of an upstream's answer. We ask for no content coding, but some upstreams use one all the same. A body
 * that cannot be unpacked, or grows far too much, breaks off. No more than a few buffers are read ahead.
 */
export function unpackAnswer(body: Readable, header: string | string[] | undefined): Readable {
  const named = Array.isArray(header) ? header.join(', ') : header;
  const coding = parseContentCoding(named);
  if (coding === undefined) return body;
  const text = new PassThrough();
  // One that breaks off between two readers must not be an uncaught error.
  for (const stream of [body, text]) stream.on('error', () => {});
  if (coding === null) {
    body.destroy();
    text.destroy(new Error(`an answer with the Content-Encoding "${named}" cannot be read`));
    return text;
  }
  let packed = 0;
  let unpacked = 0;
  const begin = (first: Buffer) => {
    const decoder = createDecoder(coding, first[0] ?? 0) ?? new PassThrough();
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        unpacked += chunk.length;
        if (isBomb(packed, unpacked, MAX_RATIO)) done(new Error('an answer unpacks to far more than it is'));
        else done(null, chunk);
      },
    });
    body.unshift(first);
    body.on('data', (chunk: Buffer) => (packed += chunk.length));
    pipeline(body, decoder, counted, text, () => {});
  };
  body.once('data', (first: Buffer) => {
    body.pause();
    begin(first);
  });
  body.once('error', (error) => text.destroy(error));
  body.once('end', () => packed === 0 && text.end());
  text.once('close', () => body.destroy());
  return text;
}
