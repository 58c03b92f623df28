import { CODECS, parseJson, UNREADABLE_ANSWER } from '@tollgate/protocols';
import type { Answer } from '../forward/answer.ts';
import { withoutSecrets } from '../forward/secrets.ts';
import { apiAnswerHeaders } from '../front-door/request-id.ts';
import type { Candidate } from '../route/candidates.ts';
import type { RelayRequest } from './relay-request.ts';
import { sendAnswer } from './send-answer.ts';
import { sendError } from './send-error.ts';

/** Whether an upstream has an endpoint that counts tokens. */
export const canCount = ({ protocol }: Candidate): boolean => CODECS[protocol].countedTokens !== undefined;

/** Answers a counting request with our own estimate, and says that it is one. */
export async function sendCount(
  request: RelayRequest,
  tokens: number,
  headers: Record<string, string>,
): Promise<void> {
  await send(request, tokens, { ...headers, 'x-tollgate-estimated': 'true' });
}

/** Answers a counting request with what the upstream counted. */
export async function sendCounted(
  request: RelayRequest,
  forwarded: Answer,
  headers: Record<string, string>,
): Promise<void> {
  const body =
    forwarded.kind === 'answer'
      ? withoutSecrets(forwarded.body, forwarded.candidate.credential)
      : Buffer.alloc(0);
  const tokens = CODECS[forwarded.candidate.protocol].countedTokens?.(parseJson(body.toString('utf8')));
  if (forwarded.plan && tokens !== undefined) return send(request, tokens, headers);
  if (forwarded.plan) return sendError(request, UNREADABLE_ANSWER, headers);
  await sendAnswer(request.response, forwarded.status, { ...json(request), ...headers }, body);
}

async function send(request: RelayRequest, tokens: number, headers: Record<string, string>): Promise<void> {
  const body = Buffer.from(JSON.stringify(CODECS[request.protocol].countTokensBody(tokens)));
  await sendAnswer(request.response, 200, { ...json(request), ...headers }, body);
}

const json = ({ requestId }: RelayRequest): Record<string, string> => ({
  'content-type': 'application/json',
  ...apiAnswerHeaders(requestId),
});
