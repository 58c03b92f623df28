import type { Metered } from '@tollgate/metering';
import type { SessionHold } from './hold.ts';
import { Transcriptions } from './transcriptions.ts';

type Units = Readonly<Partial<Record<'audio_milliseconds', number>>>;

/** Holds without credit, and what became of each. */
function startTranscriptions(units?: Units) {
  const became: (string | Metered)[] = [];
  const hold: SessionHold = {
    requestId: 'req_of_the_test',
    bound: {
      input: 5_000,
      output: 5_000,
      textOnly: false,
      extras: units && { units, serviceTiers: [] },
      free: new Set(),
      costliest: {},
    },
    modelOutput: null,
    record: async (metered, end) => void became.push(metered, end),
    release: () => void became.push('released'),
  };
  const transcriptions = new Transcriptions(() => Promise.resolve({ ok: true, hold }));
  transcriptions.setModel('ears');
  return { transcriptions, became };
}

test('what was said and not written down when the session ends is charged by its sound', async () => {
  const { transcriptions, became } = startTranscriptions();
  await transcriptions.ensure();
  transcriptions.heard(2_000);
  transcriptions.committed('item');
  await transcriptions.ensure();
  transcriptions.heard(500);
  await transcriptions.end('upstream_cut');
  expect(became).toEqual([
    'released',
    { tokens: { input_audio: 20, output: 8 }, source: 'estimated' },
    'upstream_cut',
  ]);
});

test('where its model is sold by the time, that is charged and no token', async () => {
  const { transcriptions, became } = startTranscriptions({ audio_milliseconds: 300_000 });
  await transcriptions.ensure();
  transcriptions.heard(1_000.4);
  transcriptions.committed('item');
  await transcriptions.completed('item', { type: 'unheard of' });
  const extras = { units: { audio_milliseconds: 1_001 }, counted: ['audio_milliseconds'] };
  expect(became).toEqual([{ tokens: {}, extras, source: 'estimated' }, 'complete']);
});

const TOKENS = {
  type: 'tokens',
  input_tokens: 12,
  output_tokens: 5,
  input_token_details: { audio_tokens: 12 },
};
const HOUR = { audio_milliseconds: 3_600_000 };

test.each<[string, Units | undefined, object, Metered]>([
  [
    'the time, where its model is sold by it',
    HOUR,
    { type: 'duration', seconds: 2.5 },
    { tokens: {}, extras: { units: { audio_milliseconds: 2_500 } }, source: 'upstream' },
  ],
  [
    'tokens, where its model is sold by them',
    undefined,
    TOKENS,
    { tokens: { input_audio: 12, output: 5 }, source: 'upstream' },
  ],
  [
    'tokens of a model that is sold by the time: that is counted',
    HOUR,
    TOKENS,
    {
      tokens: { input_audio: 12, output: 5 },
      extras: { units: { audio_milliseconds: 1_000 }, counted: ['audio_milliseconds'] },
      source: 'upstream',
    },
  ],
  [
    'the time of a model that is sold by tokens: they are estimated',
    undefined,
    { type: 'duration', seconds: 2.5 },
    { tokens: { input_audio: 25, output: 10 }, source: 'estimated' },
  ],
])('what is written down is charged though its upstream reports %s', async (_what, units, usage, metered) => {
  const { transcriptions, became } = startTranscriptions(units);
  await transcriptions.ensure();
  transcriptions.heard(1_000);
  transcriptions.committed('item');
  await transcriptions.completed('item', usage);
  expect(became).toEqual([metered, 'complete']);
});

test('one that failed is free, and what was dropped before it was said', async () => {
  const { transcriptions, became } = startTranscriptions();
  await transcriptions.ensure();
  transcriptions.heard(1_000);
  transcriptions.cleared();
  transcriptions.committed('first');
  await transcriptions.completed('first', undefined);
  await transcriptions.ensure();
  transcriptions.committed('second');
  transcriptions.failed('second');
  expect(became).toEqual([
    { tokens: { input_audio: 0, output: 0 }, source: 'estimated' },
    'complete',
    'released',
  ]);
});

test('what was said before the session got another model is charged at that one', async () => {
  const { transcriptions, became } = startTranscriptions();
  await transcriptions.ensure();
  transcriptions.heard(2_000);
  transcriptions.setModel('other ears');
  await transcriptions.ensure();
  transcriptions.committed('item');
  await transcriptions.completed('item', undefined);
  expect(became).toEqual([
    'released',
    { tokens: { input_audio: 20, output: 8 }, source: 'estimated' },
    'complete',
  ]);
});
