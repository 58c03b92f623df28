// Proves: what an upstream says was used is believed only as far as it can be true: no figure takes more from a balance than
// was held for its request, and no figure, however broken, is an error of ours.
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAT_ANSWER, chatChunk } from '../../faults/raw-upstream.ts';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { readBalance, openAccount } from '../hostile-stack.ts';
import { type Misbehaviour, openHostileUpstream, stream, whole } from './hostile-upstream.ts';

const withUsage = (usage: unknown): string =>
  JSON.stringify({ ...(JSON.parse(CHAT_ANSWER) as object), usage });
const endWith = (usage: string): string =>
  `${chatChunk('Well')}data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`;

/** The last ones are numbers, and could be true of no request. */
const ABSURD: readonly string[] = [
  '{"prompt_tokens":-1,"completion_tokens":-1}',
  '{"prompt_tokens":1.5,"completion_tokens":0.1}',
  '{"prompt_tokens":"9","completion_tokens":"9"}',
  '{"prompt_tokens":1e400,"completion_tokens":1}',
  '[]',
  '"many"',
  '7',
  'true',
  '{"prompt_tokens":null,"completion_tokens":null}',
  '{"prompt_tokens":{},"completion_tokens":[]}',
  '{}',
  '{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":900}}',
  '{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":-900}}',
  '{"__proto__":{"prompt_tokens":9},"completion_tokens":1}',
  '{"prompt_tokens":99999999999999999999999,"completion_tokens":1}',
  '{"prompt_tokens":9007199254740991,"completion_tokens":9007199254740991}',
  '{"prompt_tokens":5000000,"completion_tokens":700000}',
  '{"prompt_tokens":5,"completion_tokens":9007199254740993}',
];

const FAULTS: Readonly<Record<string, Misbehaviour>> = {
  ...Object.fromEntries(
    ABSURD.flatMap((usage, n) => [
      [
        `whole, with usage ${n} (${usage.slice(0, 60)})`,
        whole(withUsage(JSON.parse(usage.replace('1e400', '1e300')))),
      ],
      [`stream, with usage ${n} (${usage.slice(0, 60)})`, stream(endWith(usage))],
    ]),
  ),
};

const CREDIT = '5';
/** Of an account with five dollars: the holds of all these requests are less than the rest. */
const LEAST_LEFT = /^(?:4\.9|5)/;
const POSTED_MS = 3_000;

export const usage: HostileArea = {
  name: 'upstreams/usage',
  proves: 'no figure of an upstream moves a balance by more than the hold of its request',
  // The balance is looked at in the end.
  atOnce: 1,
  async cases(stack) {
    const accountId = await openAccount(stack.at, CREDIT);
    const { ask } = await openHostileUpstream(stack, FAULTS, accountId);
    return [
      ...Object.keys(FAULTS).map((name): HostileCase => ({
        name,
        async run() {
          const { status, text } = await ask(name);
          must([200, 502].includes(status), () => `${status} ${text.slice(0, 200)}`);
        },
      })),
      {
        name: 'the balance after all of them',
        async run() {
          await sleep(POSTED_MS);
          const balance = await readBalance(stack.at, accountId);
          must(LEAST_LEFT.test(balance), () => `${balance} USD are left of ${CREDIT}`);
        },
      },
    ];
  },
};
