import { messagesErrorBody } from '../anthropic-messages/errors.ts';
import { exceptionFailure } from '../bedrock-converse/errors.ts';
import { failureError } from '../failure.ts';
import { numberAt, parseJson, someTextAt, textAt } from '../json.ts';
import { findMembers, withoutMembers } from '../json-spans.ts';
import type { EventFrame } from '../stream/aws-event-stream.ts';
import { encodeSse } from '../stream/encode-sse.ts';
import { setBodyFields } from '../upstream-request.ts';
import { fitBetas, nameDropped, readBetas } from './betas.ts';
import { toMessagesError } from './messages-error.ts';
import type { Wrapping } from './wrapping.ts';

const VERSION = 'bedrock-2023-05-31';
const VERBS = { generate: 'invoke', stream: 'invoke-with-response-stream', count: 'count-tokens' } as const;

/** What the path says, and what Bedrock is told in headers or not at all. */
const LEFT_OUT = ['model', 'stream'];
const NOT_TAKEN = ['service_tier', 'inference_geo', 'speed'];

/** Amazon Bedrock's InvokeModel with Anthropic's models: the version and the betas stand in the body. */
export const bedrockWrapping: Wrapping = {
  carries: (model) => /(?:^|\.)anthropic\./.test(model),
  path: ({ model, action }) => `/model/${encodeURIComponent(model)}/${VERBS[action]}`,
  wrap({ headers, body }, { action }) {
    const { 'anthropic-beta': header, 'anthropic-version': _version, ...rest } = headers;
    const members = findMembers(body) ?? [];
    const has = (name: string) => members.some(({ key }) => key === name);
    const inBody = members
      .filter(({ key }) => key === 'anthropic_beta')
      .flatMap(({ valueStart, valueEnd }) => parseJson(body.toString('utf8', valueStart, valueEnd)));
    const asked = [...readBetas(header), ...inBody.filter((beta) => typeof beta === 'string')];
    const betas = fitBetas('bedrock', asked);
    const refused = NOT_TAKEN.filter(has);
    const named = [...LEFT_OUT, ...refused, ...(betas.taken.length === 0 ? ['anthropic_beta'] : [])];
    const counts = action === 'count';
    const invoked = setBodyFields(withoutMembers(body, named), {
      anthropic_version: VERSION,
      ...(betas.taken.length > 0 ? { anthropic_beta: betas.taken } : {}),
      // A request that is counted is one that could be invoked.
      ...(counts && !has('max_tokens') ? { max_tokens: 1 } : {}),
    });
    return {
      headers: rest,
      body: counts
        ? Buffer.from(`{"input":{"invokeModel":{"body":"${invoked.toString('base64')}"}}}`)
        : invoked,
      dropped: [...refused, ...nameDropped(betas.dropped)],
    };
  },
  unwrap(json, status) {
    const counted = numberAt(json, 'inputTokens');
    return status < 300 && counted !== undefined ? { input_tokens: counted } : toMessagesError(json, status);
  },
  readFrame: readInvokeFrame,
};

/** The vendor's event that a frame holds, as a stream of the vendor's has it; undefined for a frame without one. */
function readInvokeFrame({ headers, payload }: EventFrame): string | undefined {
  const exception = headers[':exception-type'] ?? headers[':error-code'];
  if (exception !== undefined) {
    const said = someTextAt(parseJson(payload.toString('utf8')), 'message') ?? headers[':error-message'];
    return encodeSse(messagesErrorBody(failureError(exceptionFailure(exception, said)), undefined));
  }
  const bytes = textAt(parseJson(payload.toString('utf8')), 'bytes');
  if (bytes === '') return undefined;
  const event = Buffer.from(bytes, 'base64');
  const json = event.includes(METRICS) ? withoutMembers(event, [METRICS]) : event;
  const text = json.toString('utf8');
  const type = TYPE_FIRST.exec(text)?.[1] ?? someTextAt(parseJson(text), 'type');
  if (type === undefined) return undefined;
  // A line of a stream ends where a text of JSON may go on.
  return `event: ${type}\ndata: ${/[\r\n]/.test(text) ? JSON.stringify(parseJson(text)) : text}\n\n`;
}

/** What Bedrock adds to the last event, in which it says nothing that the vendor does not. */
const METRICS = 'amazon-bedrock-invocationMetrics';
const TYPE_FIRST = /^\{\s*"type"\s*:\s*"([a-z_]+)"/;
