import type { IncomingHttpHeaders } from 'node:http';
import { CODECS } from '@tollgate/protocols';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';

/** A request may bear the signs of several formats: the later one in the list counts. */
const BY_PRECEDENCE = CLIENT_PROTOCOLS.toReversed();

/** Which format's client asks, for routes that several formats share; OpenAI's where nothing tells. */
export function findClientFormat(
  path: string,
  headers: IncomingHttpHeaders,
  queryKey: string | undefined,
): ClientProtocol {
  const request = { path, headers, queryKey };
  return BY_PRECEDENCE.find((protocol) => CODECS[protocol].isOwnClient(request)) ?? 'openai-chat';
}
