import type { ClientProtocol } from '@tollgate/vocabulary';
import { type Answer, call } from '../call.ts';
import { type Feature, USAGE } from './features.ts';
import type { PricedModels, PricedPlace } from './priced-models.ts';

/** One request to a model that has a price for all that it asks for. */
export interface Sent extends Pick<Feature, 'more' | 'parts' | 'script'> {
  readonly format: ClientProtocol;
  readonly stream: boolean;
  readonly mark: string;
  /** Of the upstream, where that is another. */
  readonly at?: PricedPlace;
  readonly key?: string;
}

/** Where the script says nothing of tokens there are some of each kind. */
export function sendPriced(
  baseUrl: string,
  priced: PricedModels,
  { format, stream, mark, more, parts = [], script, at = format, key = priced.key }: Sent,
): Promise<Answer> {
  const model = priced.models[at];
  const text = `${mark} [[sim ${JSON.stringify({ usage: USAGE, ...script })}]]`;
  const path = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    gemini: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  }[format];
  return call(`${baseUrl}${path}`, {
    headers: { authorization: `Bearer ${key}` },
    body: {
      ...bodyOf(format, model, { text, parts }),
      ...(stream && format !== 'gemini' ? { stream } : {}),
      ...more,
    },
  });
}

function bodyOf(
  format: ClientProtocol,
  model: string,
  { text, parts }: { readonly text: string; readonly parts: readonly object[] },
): object {
  if (format === 'openai-responses') return { model, input: text };
  if (format === 'gemini') return { contents: [{ role: 'user', parts: [{ text }, ...parts] }] };
  const content = parts.length === 0 ? text : [{ type: 'text', text }, ...parts];
  return { model, max_tokens: 500, messages: [{ role: 'user', content }] };
}
