import { createParser } from 'eventsource-parser';
import { type Answer, type Format, isJson, type Json, NO_ANSWER } from './formats/format.ts';

/** The answer after each event of a stream, wherever its bytes are cut. @throws what reading the bytes throws. */
export async function* readAnswers(
  format: Format,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Answer, void, void> {
  let answer = NO_ANSWER;
  let events: Json[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = eventOf(data);
      if (event) events.push(event);
    },
  });
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    parser.feed(decoder.decode(piece, { stream: true }));
    if (events.length === 0) continue;
    answer = events.reduce(format.read, answer);
    events = [];
    yield answer;
  }
}

/** Null for what ends a stream, such as `[DONE]`, and for what is no JSON object. */
function eventOf(data: string): Json | null {
  if (!data.startsWith('{')) return null;
  try {
    const event: unknown = JSON.parse(data);
    return isJson(event) ? event : null;
  } catch {
    return null;
  }
}
