import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DefaultScripts } from './default-scripts.ts';
import { anthropicMessages } from './formats/anthropic-messages.ts';
import { gemini } from './formats/gemini.ts';
import { openaiChat } from './formats/openai-chat.ts';
import { openaiError } from './formats/openai-error.ts';
import type { Recorder } from './recorder.ts';

/** What models there are, or the error that the script of the credential asks for. */
export function listModels(
  request: FastifyRequest,
  reply: FastifyReply,
  defaults: DefaultScripts,
  recorder: Recorder,
): unknown {
  recorder.add({ method: request.method, url: request.url, headers: request.headers, body: '' });
  const credential = [openaiChat, anthropicMessages, gemini]
    .map((format) => format.credential(request.headers))
    .find((found) => found !== undefined);
  if (!credential) return reply.code(401).send(openaiError(401, 'No credential was sent.'));
  const { status } = defaults.of({ credential });
  if (status !== undefined) return reply.code(status).send(openaiError(status, 'No models.'));
  return reply.send({
    object: 'list',
    data: LISTED_MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulator' })),
  });
}

/** It answers for any name; these are what somebody who looks may pick. */
const LISTED_MODELS = [
  'sim-chat',
  'sim-responses',
  'sim-claude',
  'sim-gemini',
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-5',
];
