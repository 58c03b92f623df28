// Proves: whenever a client hangs up, in whichever format and however, it pays exactly what its upstream says was used in the
// end: as a client that stays does.
import { waitFor } from '@tollgate/harness';
import { openBooks } from '../../books.ts';
import { makeKey } from '../../shared-stack.ts';
import { MOMENTS, type Moment, sendAndLeave } from '../../leave.ts';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { type HostileStack, openAccount } from '../hostile-stack.ts';

const MAX_TOKENS = 5_000;
const said = (content: string) => [{ role: 'user', content }];

interface Format {
  readonly path: (stream: boolean) => string;
  readonly body: (text: string, stream: boolean) => object;
}

const FORMATS: Readonly<Record<string, Format>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (text, stream) => ({ model: 'sim-chat', max_tokens: MAX_TOKENS, messages: said(text), stream }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (input, stream) => ({ model: 'sim-responses', max_output_tokens: MAX_TOKENS, input, stream }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (text, stream) => ({ model: 'sim-claude', max_tokens: MAX_TOKENS, messages: said(text), stream }),
  },
  gemini: {
    path: (stream) =>
      `/v1beta/models/sim-gemini:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({
      contents: [{ parts: [{ text }] }],
      generationConfig: { maxOutputTokens: MAX_TOKENS },
    }),
  },
};

const WORDS = 12;
const CREDIT = '5';
const POSTED_MS = 15_000;

export const leaving: HostileArea = {
  name: 'callers/leaving',
  proves: 'who hangs up pays what the upstream did',
  async cases(stack) {
    const accountId = await openAccount(stack.at, CREDIT);
    const { id, key } = await makeKey(stack.at, { name: 'leaving', account_id: accountId });
    const ways = Object.keys(FORMATS).flatMap((format) =>
      [false, true].flatMap((isReset) => [
        { format, isReset, stream: false, moment: 'before the first byte' as const },
        ...MOMENTS.map((moment) => ({ format, isReset, stream: true, moment })),
      ]),
    );
    return ways.map((way, index): HostileCase => ({
      name: `${way.format}, ${way.stream ? 'a stream' : 'whole'}, left ${way.moment} with ${way.isReset ? 'a reset' : 'a close'}`,
      // No other of them uses so much; more than the text can have would be cut.
      run: () => leaveOnce(stack, { ...way, key, keyId: id, used: 50 + index }),
    }));
  },
};

async function leaveOnce(
  { at, from }: HostileStack,
  way: {
    readonly format: string;
    readonly stream: boolean;
    readonly moment: Moment;
    readonly isReset: boolean;
    readonly key: string;
    readonly keyId: string;
    /** Input tokens that the upstream tells, and one more of output. */
    readonly used: number;
  },
): Promise<void> {
  const format = FORMATS[way.format];
  if (!format) throw new Error(`there is no format ${way.format}`);
  const mark = `leaving ${way.keyId} ${way.used}`;
  const usage = { input: way.used, output: way.used + 1 };
  const script = { words: WORDS, first_delay_ms: 400, chunk_delay_ms: 20, usage };
  await sendAndLeave(at, {
    path: format.path(way.stream),
    headers: { authorization: `Bearer ${way.key}` },
    body: format.body(`${mark} [[sim ${JSON.stringify(script)}]]`, way.stream),
    mark,
    moment: way.moment,
    lastWord: `word${WORDS}`,
    isReset: way.isReset,
    from,
  });
  const books = openBooks(at.databaseUrl);
  try {
    const find = 'SELECT * FROM billing.usage WHERE key_id = $1 AND tokens_input = $2';
    const row = await waitFor(() => books.one(find, [way.keyId, way.used]), 'its charge', POSTED_MS, 100);
    const charged = `${row['tokens_output']} by ${row['usage_source']}`;
    must(charged === `${way.used + 1} by upstream`, () => `it is charged ${charged}`);
  } finally {
    await books.close();
  }
}
