import type { Dispatcher } from 'undici';
import type { OpenCredential, UpstreamClient } from '../route/upstream-client.ts';
import type { UnsignedRequest } from './auth-scheme.ts';

/**
 * Sends a request of the gateway's own. If the upstream refuses its proof and another one can be had, sends it once more: that
 * a token has just ended says nothing about the upstream.
 *
 * @throws when the upstream cannot be reached, or when no proof can be had.
 */
export async function sendWithProof(
  {
    client,
    credential,
    dispatcher = client.pool,
  }: {
    readonly client: UpstreamClient;
    readonly credential: OpenCredential;
    /** Where the request goes to another host than the upstream's own. */
    readonly dispatcher?: Dispatcher;
  },
  request: UnsignedRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { auth } = credential;
  const { method, origin, path, body } = request;

  async function send() {
    const sent = await auth.applyAuth({ ...request, headers: { ...request.headers } });
    const answer = await dispatcher.request({
      method,
      origin,
      path,
      body: body ?? null,
      headers: sent,
      signal,
    });
    // One that breaks off between two readers is no uncaught error.
    answer.body.on('error', () => {});
    return { answer, sent };
  }

  const { answer, sent } = await send();
  const isRenewed = await auth.renew?.({ status: answer.statusCode, headers: answer.headers, sent });
  if (isRenewed !== true) return answer;
  await answer.body.dump();
  return (await send()).answer;
}
