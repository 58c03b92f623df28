/*
 * What the relay's conversions send is in their golden cases. The vendors' rules are asked of each of those requests, so
 * that a conversion to something that no vendor takes is seen without a relay.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { field, isObject, type Json } from '../question.ts';
import { MESSAGES_RULES } from './anthropic-messages.ts';
import { CONVERSE_RULES } from './bedrock-converse.ts';
import { GEMINI_RULES } from './gemini.ts';
import { CHAT_RULES } from './openai-chat.ts';
import { RESPONSES_RULES } from './openai-responses.ts';
import { type Refuse, refuseBy } from './rule.ts';

const FOLDER = join(import.meta.dirname, '../../../../libs/protocols/src/convert/golden/requests');

/** States of reasoning stand in the cases as texts that no vendor made. */
const withoutStates = <Profile>({
  rules,
  ...book
}: Parameters<typeof refuseBy<Profile>>[0]): Parameters<typeof refuseBy<Profile>>[0] => ({
  ...book,
  rules: rules.filter(
    ({ id }) => !['encrypted-state', 'thinking-signature', 'signature-foreign'].includes(id),
  ),
});

const REFUSE: Readonly<Record<string, Refuse>> = {
  'openai-chat': refuseBy(withoutStates(CHAT_RULES)),
  'openai-responses': refuseBy(withoutStates(RESPONSES_RULES)),
  'anthropic-messages': refuseBy(withoutStates(MESSAGES_RULES)),
  'bedrock-converse': refuseBy(withoutStates(CONVERSE_RULES)),
  gemini: refuseBy(withoutStates(GEMINI_RULES)),
};

interface Sent {
  readonly name: string;
  readonly format: string;
  readonly model: string;
  readonly body: Json;
}

const SENT: readonly Sent[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => {
    const written: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
    const clients = field(written, 'clients');
    return Object.entries(isObject(clients) ? clients : {}).flatMap(([from, client]) => {
      const to = field(client, 'to');
      const model = String(field(client, 'upstreamModel') ?? 'upstream-model');
      return Object.entries(isObject(to) ? to : {}).flatMap(([format, outcome]) => {
        const body = field(outcome, 'request');
        return isObject(body) ? [{ name: `${file} from ${from} to ${format}`, format, model, body }] : [];
      });
    });
  });

test('there are cases of every format', () => {
  expect(new Set(SENT.map(({ format }) => format))).toEqual(new Set(Object.keys(REFUSE)));
  expect(SENT.length).toBeGreaterThan(300);
});

test.each(SENT)('$name is taken', ({ format, model, body }) => {
  const request = {
    body,
    model,
    counts: false,
    stream: body['stream'] === true,
    account: 'test',
    header: (name: string) => (name === 'anthropic-version' ? '2023-06-01' : undefined),
  };
  const refusal = REFUSE[format]?.(request, 'sent') ?? REFUSE[format]?.(request, 'lookedUp');
  expect(refusal).toBeUndefined();
});
