import {
  joinUpstreamUrl,
  overrideBodyFields,
  upstreamPath,
  upstreamRequestHeaders,
} from '@tollgate/protocols';
import type { Protocol } from '@tollgate/vocabulary';
import type { OpenCredential, UpstreamClient } from '../route/upstream-clients.ts';

const WORDS = 'Answer with the word OK.';

/** The least that each protocol takes; a limit of output tokens only where every model of it takes the same one. */
const BODIES: Readonly<Record<Protocol, (model: string) => object>> = {
  'openai-chat': (model) => ({ model, messages: [{ role: 'user', content: WORDS }] }),
  'openai-responses': (model) => ({ model, input: WORDS, max_output_tokens: 16 }),
  'anthropic-messages': (model) => ({ model, max_tokens: 16, messages: [{ role: 'user', content: WORDS }] }),
  gemini: () => ({
    contents: [{ role: 'user', parts: [{ text: WORDS }] }],
    generationConfig: { maxOutputTokens: 16 },
  }),
};

/** A tiny request for a model, by the name that the upstream knows it by. */
export function testRequest(
  { upstream, setHeaders }: Pick<UpstreamClient, 'upstream' | 'setHeaders'>,
  credential: Pick<OpenCredential, 'secret'>,
  { protocol, model }: { readonly protocol: Protocol; readonly model: string },
): { readonly path: string; readonly headers: Record<string, string>; readonly body: Buffer } {
  const url = new URL(
    joinUpstreamUrl(upstream.base_url, upstreamPath(protocol, { model, action: 'generate' })),
  );
  const plain = { 'content-type': 'application/json', accept: 'application/json' };
  const body = Buffer.from(JSON.stringify(BODIES[protocol](model)));
  return {
    path: `${url.pathname}${url.search}`,
    headers: { ...upstreamRequestHeaders(protocol, plain, credential.secret), ...setHeaders },
    body: overrideBodyFields(body, upstream.set_parameters),
  };
}
