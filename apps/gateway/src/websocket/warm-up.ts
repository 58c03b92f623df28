import { admit } from '../admit/admit.ts';
import { decodeRequest, type JsonObject, responseId } from '@tollgate/protocols';
import { authenticate } from '../authenticate/authenticate.ts';
import type { RelayDependencies, RelayRequest } from '../relay/relay-request.ts';
import { selectPrices } from '../relay/select-prices.ts';
import { sendError } from '../relay/send-error.ts';

type WarmUpRequest = Pick<RelayRequest, 'incoming' | 'response' | 'requestId' | 'clientAddress' | 'queryKey'>;

/**
 * Answers `generate: false` here: no upstream is asked, and nothing is charged, but it is one request to all limits. The
 * conversation is remembered by whoever reads the answer, so that the next request can go on from its id.
 */
export async function answerWarmUp(
  deps: RelayDependencies,
  request: WarmUpRequest,
  { body, json }: { readonly body: Buffer; readonly json: JsonObject },
): Promise<void> {
  const { incoming, response, requestId, clientAddress, queryKey } = request;
  const authenticated = await authenticate(deps, { headers: incoming.headers, clientAddress, queryKey });
  if (!authenticated.ok) return sendError({ ...request, protocol }, authenticated.error);
  const decoded = decodeRequest(protocol, body);
  if (!decoded.ok) return sendError({ ...request, protocol }, decoded.error);
  const { model } = decoded.request;
  const priced = selectPrices(deps.table(), authenticated.key, model, undefined);
  if (!priced.ok) return sendError({ ...request, protocol }, priced.error);
  const { key, table } = priced;
  const admitted = await admit(deps, table, { clientAddress, key, protocol, model, tokens: 0 });
  if (!admitted.ok) return sendError({ ...request, protocol }, admitted.error);
  admitted.settle(null);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': requestId });
  const prepared = describeResponse(requestId, model, json);
  response.write(renderEvent('response.created', 0, { ...prepared, status: 'in_progress' }));
  response.end(
    renderEvent('response.completed', 1, { ...prepared, status: 'completed', usage: NOTHING_USED }),
  );
}

const protocol = 'openai-responses';

const NOTHING_USED = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

const describeResponse = (requestId: string, model: string, json: JsonObject) => ({
  id: responseId(requestId),
  object: 'response',
  created_at: Math.floor(Date.now() / 1_000),
  error: null,
  incomplete_details: null,
  instructions: json['instructions'] ?? null,
  metadata: json['metadata'] ?? {},
  model,
  output: [],
  parallel_tool_calls: json['parallel_tool_calls'] ?? true,
  previous_response_id: null,
  store: json['store'] ?? true,
  tool_choice: json['tool_choice'] ?? 'auto',
  tools: json['tools'] ?? [],
});

const renderEvent = (type: string, sequence: number, response: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, response })}\n\n`;
