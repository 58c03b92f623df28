import { RELAY_ROUTES } from '@tollgate/api/relay';
import { CODECS, TASK_CODECS } from '@tollgate/protocols';
import { OPERATION_NAMES, type Protocol, PROTOCOLS, type Task, TASKS } from '@tollgate/vocabulary';
import { markdownTable } from './markdown-table.ts';

const BILLED: Readonly<Record<Task, string>> = {
  embed: 'tokens of input, as the upstream reports them; estimated where it says nothing',
  rerank:
    '`rerank_units` where the model has a price for them (searches, as Cohere reports them; else one for 100 documents), tokens of input otherwise',
  moderate: 'the price of a request, and tokens of input, which nobody reports and are estimated',
  complete:
    'tokens as the upstream reports them; without a report those of the prompts and of what was written, estimated',
  draw: 'tokens, those of pictures apart, as the upstream reports them; `images` where the model has a price for them, by those that came',
  edit: 'as pictures that are drawn, with those that go in',
  transcribe:
    'tokens as the upstream reports them, or `audio_milliseconds` where the model has a price for them, as it reports seconds; without a report as the header of a WAV file says, or as 8,000 bytes of a second',
  translate: 'as transcription; upstreams are asked for `verbose_json`, which says how long the sound was',
  speak:
    '`characters` where the model has a price for them, counted in `input`; otherwise tokens, which upstreams report with events alone, so that these are asked for, and are estimated where none come',
};

const LIMITS: Readonly<Record<Task, string>> = {
  embed: '2,048 inputs, 100 in `batchEmbedContents`, 96 at `/v2/embed`; texts or tokens',
  rerank: '10,000 documents; of a document that is an object its `text` is read, or all of it as JSON',
  moderate: '2,048 inputs; texts and pictures',
  complete: '2,048 prompts, as texts or as tokens, and 128 answers to each (`n`, `best_of`)',
  draw: '10 pictures; 4 of `predict`, or 8 where the upstream draws them',
  edit: '16 pictures in, in a form or as addresses and `data:` in JSON, 10 out; no ids of files',
  transcribe: 'one file as `multipart/form-data`, of `UPLOAD_LIMIT_BYTES` with all else',
  translate: 'as transcription',
  speak: 'one text',
};

/** What is peculiar to a task. */
const NOTES: Partial<Readonly<Record<Task, readonly string[]>>> = {
  embed: [
    'Vectors are floats or base64, as the client asks, whatever the upstream says; no bit of their 32-bit floats is lost.',
    'No other model ever embeds in place of the one that is named; the other tasks fall back as conversations do.',
    'Vertex embeds one text a call where `task_formats` say `vertex`, as its preset does: `gemini-embedding-001` and `text-embedding-*` by `predict`, newer models of Gemini by `embedContent`, as Google’s own clients ask.',
  ],
  complete: [
    'Streams report usage only where `stream_options.include_usage` asks, as those of Chat do; upstreams are always asked for it.',
    'An upstream that answers whole where a stream was asked for is told as one event.',
  ],
  draw: [
    'A stream is asked for one picture at a time. What breaks off before its picture is whole costs nothing, whatever was shown of it; the connection of an answer that was no stream breaks too.',
    '`svg` is refused, as a second model writes it, and so are ids of files.',
    '`/v1/images/variations` is a 400 that says what to send in its place: the last model that knew it was retired.',
    'Imagen has no preset: Google shut its models down on 30 June 2026 on Vertex and on 17 August 2026 at the Gemini API, and names Gemini’s models of pictures, which draw, in their place.',
  ],
  transcribe: [
    'What a sound can be at most is held: exactly of a WAV file, by 500 bytes of a second of any other, or by the context window of a model that bills tokens. Nothing beyond it is charged.',
    'Upstreams are asked for JSON where `text`, `srt` or `vtt` is wanted, as only that reports anything, and what was wanted is made of it.',
  ],
  speak: [
    'Sound that breaks off breaks the connection and costs no characters; a client that leaves pays for all of them, as its vendor charges them.',
  ],
};

/** Operations beside conversations: where they are asked for, who is asked, what is billed. */
export const taskSections = (): string[] => [
  '## Which tasks are there beside conversations?',
  [
    'A task is one request and one answer, whole or streamed. A model serves those that it is [for](catalogue.md#what-a-model-is-for), and is refused',
    'with 400 for any other.',
  ].join('\n'),
  markdownTable(
    ['client and upstream speak', 'what becomes of a request'],
    [
      ['one format', 'what it holds passes as it is'],
      [
        'two formats',
        'it is written as the other format has it; what that cannot carry is named in `x-tollgate-dropped` where it is a hint, and refused with 400 where not',
      ],
    ],
  ),
  [
    '- What one call does not take is asked in several, in order, and fails as a whole: 2,048 inputs at OpenAI, 100 at Gemini, 96 at',
    '  Cohere, or fewer where the upstream says so in `max_inputs`. What was answered before a failure is paid for by the operator alone.',
    '- Limits and budgets of keys count a task as a request, with its tokens.',
  ].join('\n'),
  ...TASKS.flatMap(taskSection),
  '### In which format is an upstream asked?',
  'In the one that goes with its conversations, where its `task_formats` do not say otherwise:',
  markdownTable(
    ['upstream speaks', ...TASKS.map((task) => OPERATION_NAMES[task])],
    PROTOCOLS.map((protocol) => [CODECS[protocol].title, ...TASKS.map((task) => listSpoken(task, protocol))]),
  ),
];

function taskSection(task: Task): string[] {
  const notes = NOTES[task] ?? [];
  return [
    `### ${OPERATION_NAMES[task]} (${code(task)})`,
    markdownTable(
      ['what', 'value'],
      [
        ['routes', listRoutes(task)],
        ['formats of clients', listCodes(TASK_CODECS[task].clients)],
        ['formats of upstreams', listCodes(TASK_CODECS[task].upstreams)],
        ['at once at most', LIMITS[task]],
        ['billed', BILLED[task]],
      ],
    ),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
  ];
}

const code = (text: string): string => `\`${text}\``;

const listCodes = (byFormat: object): string => Object.keys(byFormat).map(code).join(', ');

const listRoutes = (searched: Task): string =>
  Object.values(RELAY_ROUTES)
    .filter((route) => route.task?.task === searched)
    .map(({ path }) => code(path))
    .join(', ');

const listSpoken = (task: Task, protocol: Protocol): string =>
  (TASK_CODECS[task].spokenBy[protocol] ?? []).map(code).join(', ');
