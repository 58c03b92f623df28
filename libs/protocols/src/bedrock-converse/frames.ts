import { parseJson, someTextAt } from '../json.ts';
import type { EventFrame } from '../stream/aws-event-stream.ts';

/** A frame as the object whose one member is named after it, which is how AWS's own clients show it. */
export function readConverseFrame({ headers, payload }: EventFrame): string | undefined {
  const text = payload.toString('utf8');
  const exception = headers[':exception-type'];
  if (exception !== undefined) return event(exception, text);
  const code = headers[':error-code'];
  if (code !== undefined) {
    const message = headers[':error-message'] ?? someTextAt(parseJson(text), 'message');
    return event(`${code.replace(/Exception$/, '')}Exception`, JSON.stringify({ message }));
  }
  const type = headers[':event-type'];
  return type === undefined ? undefined : event(type, text);
}

/** What cannot be read is left to whoever reads the event. */
const event = (name: string, json: string): string =>
  `data: {${JSON.stringify(name)}:${/[\r\n]/.test(json) ? JSON.stringify(parseJson(json) ?? null) : json}}\n\n`;
