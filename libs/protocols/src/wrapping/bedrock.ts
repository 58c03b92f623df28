import { messagesErrorBody } from '../anthropic-messages/errors.ts';
import { exceptionFailure } from '../bedrock-converse/errors.ts';
import { failureError } from '../failure.ts';
import { isObject, type JsonObject, numberAt, objectAt, parseJson, someTextAt, textAt } from '../json.ts';
import { findMembers, withoutMembers } from '../json-spans.ts';
import type { EventFrame } from '../stream/aws-event-stream.ts';
import { encodeSse } from '../stream/encode-sse.ts';
import { setBodyFields } from '../upstream-request.ts';
import { fitBetas, nameDropped, readBetas } from './betas.ts';
import { toMessagesError } from './messages-error.ts';
import type { AnswerHeaders, Wrapping } from './wrapping.ts';

const VERSION = 'bedrock-2023-05-31';
const VERBS = { generate: 'invoke', stream: 'invoke-with-response-stream', count: 'count-tokens' } as const;

/** What the path says, and what Bedrock is told in headers or not at all. */
const LEFT_OUT = ['model', 'stream'];
const NOT_TAKEN = ['service_tier', 'inference_geo', 'speed'];

/** A tier stands in a header of the request, and of the answer. AWS's names of it. */
const TIER_HEADER = 'x-amzn-bedrock-service-tier';
const ASKED_TIERS = ['priority', 'flex'];
const SERVED_TIERS: Readonly<Record<string, string>> = { default: 'standard' };

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
    const counts = action === 'count';
    const tier = counts ? undefined : readTier(body, members);
    const taken = NOT_TAKEN.filter(has);
    const refused = taken.filter((name) => name !== 'service_tier' || tier === undefined);
    const named = [...LEFT_OUT, ...taken, ...(betas.taken.length === 0 ? ['anthropic_beta'] : [])];
    const invoked = setBodyFields(withoutMembers(body, named), {
      anthropic_version: VERSION,
      ...(betas.taken.length > 0 ? { anthropic_beta: betas.taken } : {}),
      // A request that is counted is one that could be invoked.
      ...(counts && !has('max_tokens') ? { max_tokens: 1 } : {}),
    });
    return {
      headers: { ...rest, ...(tier === undefined ? {} : { [TIER_HEADER]: tier }) },
      body: counts
        ? Buffer.from(`{"input":{"invokeModel":{"body":"${invoked.toString('base64')}"}}}`)
        : invoked,
      dropped: [...refused, ...nameDropped(betas.dropped)],
    };
  },
  unwrap(json, status, headers = {}) {
    const counted = numberAt(json, 'inputTokens');
    if (status < 300 && counted !== undefined) return { input_tokens: counted };
    const tier = status < 300 ? findServedTier(headers) : undefined;
    const saysTier = textAt(objectAt(json, 'usage'), 'service_tier') === tier;
    return tier === undefined || saysTier || !isObject(json)
      ? toMessagesError(json, status)
      : withTier(json, tier);
  },
  refusedTools: /^(?:web_search|web_fetch|code_execution)_/,
  openFrames(headers) {
    const tier = findServedTier(headers);
    return (frame) => readInvokeFrame(frame, tier);
  },
};

/** The tier that a request asks for, in the word of AWS; undefined for none, and for one that it does not have. */
function readTier(body: Buffer, members: NonNullable<ReturnType<typeof findMembers>>): string | undefined {
  const said = members.findLast(({ key }) => key === 'service_tier');
  const word = said && parseJson(body.toString('utf8', said.valueStart, said.valueEnd));
  return ASKED_TIERS.find((each) => each === word);
}

/** In the vendor's word; nothing of the tier that all are served in who ask for none. */
function findServedTier(headers: AnswerHeaders): string | undefined {
  const word = headers[TIER_HEADER];
  if (typeof word !== 'string' || word === '') return undefined;
  return Object.hasOwn(SERVED_TIERS, word) ? SERVED_TIERS[word] : word.slice(0, 40);
}

/** An answer whose usage says the tier, where the vendor says it. */
const withTier = (answer: JsonObject, tier: string): JsonObject => ({
  ...answer,
  usage: { ...objectAt(answer, 'usage'), service_tier: tier },
});

/** The vendor's event that a frame holds, as a stream of the vendor's has it; undefined for a frame without one. */
function readInvokeFrame({ headers, payload }: EventFrame, tier: string | undefined): string | undefined {
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
  const begun = type === 'message_start' && tier !== undefined ? parseJson(text) : undefined;
  const message = objectAt(begun, 'message');
  if (tier !== undefined && isObject(begun) && message)
    return encodeSse({ ...begun, type, message: withTier(message, tier) });
  // A line of a stream ends where a text of JSON may go on.
  return `event: ${type}\ndata: ${/[\r\n]/.test(text) ? JSON.stringify(parseJson(text)) : text}\n\n`;
}

/** What Bedrock adds to the last event, in which it says nothing that the vendor does not. */
const METRICS = 'amazon-bedrock-invocationMetrics';
const TYPE_FIRST = /^\{\s*"type"\s*:\s*"([a-z_]+)"/;
