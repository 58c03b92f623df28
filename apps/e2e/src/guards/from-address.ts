import { request as httpRequest } from 'node:http';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request that comes from an address of the loopback network; one with a body is a POST of JSON. */
export function sendFrom(
  localAddress: string,
  url: string,
  options: { headers?: Record<string, string>; body?: Buffer | object } = {},
): Promise<Answered> {
  const { body } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        localAddress,
        method: body ? 'POST' : 'GET',
        headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...options.headers },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      },
    );
    request.on('error', reject);
    request.end(body && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
  });
}
