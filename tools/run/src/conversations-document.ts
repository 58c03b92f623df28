import { markdownTable } from './markdown-table.ts';

/** What is kept, left out and read of conversations, whatever their fields. */
export const conversationSections = (): string[] => [
  '## What does a strict key change?',
  [
    'An API key with `strict` on prefers an error to a field that is left out: whatever would stand in',
    '`x-tollgate-dropped` is answered with 400 and the field in `param`. What is emulated is still done.',
  ].join('\n'),
  '## May a client name what it was answered, in place of sending it?',
  [
    'A client of the Responses route that does not say `store: false` may send the ids of what it was answered',
    '(`item_reference`, `previous_response_id`).',
  ].join('\n'),
  markdownTable(
    ['what is named', 'what becomes of it'],
    [
      [
        'an answer that was converted',
        'it is kept for that, sealed, for some hours, for the account that received it (`KEPT_RESPONSES_TTL_S` and its neighbours), whatever model is asked next',
      ],
      [
        'what a vendor of the same format keeps',
        'it is asked for at that vendor, and cannot be carried to another: `server_state`',
      ],
      [
        'the newest answer of a stream of a WebSocket',
        'its connection remembers it also with `store: false`; [the relay](relay-api.md#responses-over-a-websocket) says how',
      ],
      ['reasoning that is not there', 'it is left out and listed in `x-tollgate-dropped`'],
      ['anything else that is not there', 'a 404'],
    ],
  ),
  ...reasoningSections(),
  ...upstreamSections(),
];

const reasoningSections = (): string[] => [
  '## What becomes of the reasoning of earlier turns?',
  [
    'Vendors sign or encrypt the state of their reasoning, and refuse that of another vendor or of another account. What was',
    'left out stands in `x-tollgate-dropped` as `reasoning_state`; a strict key gets no 400 for it, as its conversation could not',
    'go on.',
  ].join('\n'),
  markdownTable(
    ['what a client brings back', 'what becomes of it'],
    [
      [
        'the state of an answer that was converted',
        'it is unwrapped for the credential that made it, and left out for every other one, also where nothing else is converted',
      ],
      [
        'a vendor’s own state',
        'it is known for six hours which credential made it, as long as more than one can be asked: a conversation keeps to that credential while it answers; where another one must serve, the state is left out',
      ],
      ['a state that is refused all the same (400)', 'the same upstream is asked once again without it'],
    ],
  ),
];

const upstreamSections = (): string[] => [
  '## What do upstreams say in their own ways?',
  markdownTable(
    ['what an upstream says', 'what becomes of it'],
    [
      [
        'Chat otherwise than OpenAI does',
        'all of this is read: content as a list of parts, with thinking among them; calls that share an `index` or have none; arguments as an object; the one `function_call` of old; usage inside the choice or `x_groq`',
      ],
      [
        'an image in an answer',
        'Gemini clients get `inlineData`, Chat clients `images`, Responses clients an `image_generation_call`; Messages has no place for it: a text says that there was one, and the header of a whole answer lists `answer.image`',
      ],
      [
        'an error in place of an answer: a 200 with `error`, `status: "failed"`, a stream of nothing but an error or an announcement',
        'it is an error, whatever its status: the next upstream is asked, and nothing is charged',
      ],
      ['an error after the first words', 'it ends the stream, and what was produced is charged'],
      [
        'a context that is too long',
        'it is told in the words and codes that agents act on: `context_length_exceeded` (for Codex in the stream), `prompt is too long: … tokens > … maximum`',
      ],
    ],
  ),
];

export const sessionSections = (): string[] => [
  '## Which sessions over a WebSocket are served?',
  markdownTable(
    ['route', 'served?'],
    [
      [
        '`GET /v1/responses`',
        'Responses in both directions, for every model and every format of upstream: [how](relay-api.md#responses-over-a-websocket)',
      ],
      [
        '`GET /v1/realtime`',
        'sessions of OpenAI’s Realtime, at upstreams of OpenAI and Azure, whose events pass as they are: [how](relay-api.md#realtime-sessions)',
      ],
      ['WebRTC and SIP', 'no route: 404'],
      [
        'Gemini Live (`BidiGenerateContent`)',
        'no, in neither direction: nothing converts its events, and no model of it can stand behind `/v1/realtime`; its paths are no routes: 404',
      ],
    ],
  ),
];
