import { connect } from 'node:net';

/**
 * Sends one command to a Redis and answers what it says, as text.
 *
 * @throws what Redis says when it refuses.
 */
export function redisCall(port: number, ...words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    const socket = connect(port, '127.0.0.1', () => socket.write(`*${words.length}\r\n${parts.join('')}`));
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no answer to ${words[0]}`)));
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
      const answer = wholeAnswer(text);
      if (answer === undefined) return;
      socket.destroy();
      if (answer.startsWith('-')) reject(new Error(answer.slice(1)));
      else resolve(answer.replace(/^[+:]/, ''));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection ended before the answer to ${words[0]}`)));
  });
}

/** A line, or what follows the length that a line gives; arrays are given as they come. */
function wholeAnswer(text: string): string | undefined {
  const end = text.indexOf('\r\n');
  if (end < 0) return undefined;
  const line = text.slice(0, end);
  if (!line.startsWith('$')) return line.startsWith('*') ? text : line;
  const length = Number(line.slice(1));
  if (length < 0) return '';
  const body = text.slice(end + 2);
  return Buffer.byteLength(body) < length + 2 ? undefined : body.slice(0, -2);
}
