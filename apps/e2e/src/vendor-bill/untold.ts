import {
  OTHER_OPERATIONS,
  type OtherOperation,
  type Protocol,
  PROTOCOLS,
  TASKS,
  type UnitKind,
} from '@tollgate/vocabulary';
import type { Shown } from './features.ts';

/** Where something may be billed: a wire format of conversations, or another operation. */
export type BilledPlace = Protocol | OtherOperation;
export const BILLED_PLACES: readonly BilledPlace[] = [...PROTOCOLS, ...OTHER_OPERATIONS];

interface Untold {
  readonly shown: readonly Shown[];
  readonly at: readonly BilledPlace[];
  readonly why: string;
}

const allBut = (...places: readonly BilledPlace[]): BilledPlace[] =>
  BILLED_PLACES.filter((place) => !places.includes(place));
const OPENAI: readonly BilledPlace[] = ['openai-chat', 'openai-responses'];
const SMALL_TASKS: readonly BilledPlace[] = ['embed', 'rerank', 'moderate'];
const HOSTED: readonly UnitKind[] = ['searches', 'fetches', 'file_searches', 'container_sessions'];

/** Why nothing of a kind, and nothing in a tier, can be billed at a place. What is neither here nor in a row fails a test. */
export const UNTOLD: readonly Untold[] = [
  {
    shown: ['pages', 'video_milliseconds'],
    at: BILLED_PLACES,
    why: 'Documents are read by the page, and videos made, by operations that are not served.',
  },
  { shown: ['characters'], at: allBut('speak'), why: 'Speech alone is sold by the character.' },
  { shown: ['rerank_units'], at: allBut('rerank'), why: 'Reranking alone has units of its own.' },
  {
    shown: ['images'],
    at: allBut('draw', 'edit'),
    why: 'Conversations count the tokens of a picture, and other operations draw none.',
  },
  {
    shown: ['audio_milliseconds'],
    at: allBut('transcribe', 'translate', 'realtime'),
    why: 'Sound is billed by its length where it is written down, and by tokens in a conversation.',
  },
  {
    shown: HOSTED,
    at: OTHER_OPERATIONS,
    why: 'Tools of the vendor run in conversations alone; a session refuses them.',
  },
  { shown: HOSTED, at: ['bedrock-converse'], why: 'Converse has no tools that Amazon runs.' },
  {
    shown: ['fetches', 'file_searches', 'container_sessions'],
    at: ['openai-chat', 'gemini'],
    why: 'Chat answers tell of searches alone; what Gemini fetches and runs costs tokens, and nothing more.',
  },
  { shown: ['fetches'], at: ['openai-responses'], why: 'Pages that a search opens cost nothing more.' },
  { shown: ['file_searches'], at: ['anthropic-messages'], why: 'Anthropic has no search of files.' },
  {
    shown: ['priority', 'fast', 'flex', 'ultrafast', 'batch', 'scale', 'reserved'],
    at: OTHER_OPERATIONS,
    why: 'Their formats have no word for a tier.',
  },
  { shown: ['fast'], at: [...OPENAI, 'gemini'], why: 'OpenAI calls it priority; Gemini has none.' },
  { shown: ['reserved'], at: OPENAI, why: 'OpenAI sells no reserved capacity under this word.' },
  {
    shown: ['reserved'],
    at: ['gemini'],
    why: 'Provisioned throughput is bought by the hour, and no request can ask for it.',
  },
  {
    shown: ['ultrafast', 'scale'],
    at: ['anthropic-messages', 'gemini', 'bedrock-converse'],
    why: 'OpenAI alone has these tiers.',
  },
  { shown: ['batch'], at: ['bedrock-converse'], why: 'Converse is never answered as part of a batch.' },
  {
    shown: ['cache_read_audio', 'cache_read_image'],
    at: ['anthropic-messages', 'bedrock-converse'],
    why: 'What was cached is one count with one price.',
  },
  {
    shown: ['input_audio', 'input_image', 'output_audio', 'output_image'],
    at: ['anthropic-messages', 'bedrock-converse', ...SMALL_TASKS, 'complete'],
    why: 'All that is read is one count with one price, and what is written is text.',
  },
  {
    shown: ['input_audio', 'output_audio'],
    at: ['openai-responses', 'draw', 'edit'],
    why: 'Sound neither goes in nor comes out.',
  },
  {
    shown: ['cache_read_audio'],
    at: ['openai-responses'],
    why: 'No sound goes in that could be cached.',
  },
  {
    shown: ['cache_read_audio', 'cache_read_image'],
    at: ['openai-chat'],
    why: 'Chat says how much was cached, and not of what.',
  },
  { shown: ['cache_write_1h'], at: ['openai-chat'], why: 'Chat says nothing of how long a cache lasts.' },
  {
    shown: ['cache_write', 'cache_write_1h'],
    at: ['gemini'],
    why: 'Google bills what it keeps by the hour, apart from any request.',
  },
  {
    shown: ['output_reasoning'],
    at: ['bedrock-converse', ...OTHER_OPERATIONS],
    why: 'What was thought is counted with what was said, or nothing is thought.',
  },
  {
    shown: ['cache_read', 'cache_read_audio', 'cache_read_image', 'cache_write', 'cache_write_1h'],
    at: TASKS,
    why: 'Nothing of a task is kept in a cache.',
  },
  {
    shown: ['cache_write', 'cache_write_1h', 'output_image'],
    at: ['realtime'],
    why: 'OpenAI charges no writes, and a session draws nothing.',
  },
  {
    shown: ['input_image', 'output_image'],
    at: ['transcribe', 'translate', 'speak'],
    why: 'Sound and text are all there is.',
  },
  {
    shown: ['input_image'],
    at: ['draw'],
    why: 'It is drawn from a text; who brings pictures has them edited.',
  },
  {
    shown: ['input', 'input_audio', 'output'],
    at: ['translate'],
    why: 'Translations are billed by the length of the sound.',
  },
  { shown: ['output_audio'], at: ['transcribe', 'translate'], why: 'What is heard is written down.' },
  { shown: ['input_audio', 'output'], at: ['speak'], why: 'Text goes in, and sound comes out.' },
  { shown: ['output'], at: ['draw', 'edit', ...SMALL_TASKS], why: 'No text comes back that anybody bills.' },
  { shown: ['input'], at: ['moderate'], why: 'OpenAI moderates without a charge.' },
];
