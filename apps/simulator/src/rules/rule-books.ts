import { ANTHROPIC_PROFILES } from './anthropic-profiles.ts';
import { MESSAGES_RULES } from './anthropic-messages.ts';
import { GEMINI_PROFILES } from './gemini-profiles.ts';
import { GEMINI_RULES } from './gemini.ts';
import { CONVERSE_PROFILES, CONVERSE_RULES } from './bedrock-converse.ts';
import { CHAT_RULES } from './openai-chat.ts';
import { OPENAI_PROFILES } from './openai-profiles.ts';
import { RESPONSES_RULES } from './openai-responses.ts';
import { COMPLETION_RULES } from '../tasks/complete.ts';
import { GEMINI_DRAW_RULES, IMAGEN_RULES } from '../tasks/draw-google.ts';
import { IMAGE_PROFILES, OPENAI_DRAW_RULES, OPENAI_EDIT_RULES } from '../tasks/draw-openai.ts';
import { COHERE_EMBED_RULES } from '../tasks/embed-cohere.ts';
import { GEMINI_BATCH_EMBED_RULES, GEMINI_SINGLE_EMBED_RULES } from '../tasks/embed-gemini.ts';
import { VERTEX_EMBED_RULES, VERTEX_PREDICT_RULES } from '../tasks/embed-vertex.ts';
import { OPENAI_EMBED_RULES } from '../tasks/embed-openai.ts';
import { MODERATION_RULES } from '../tasks/moderate.ts';
import { SPEECH_RULES } from '../tasks/speak.ts';
import { TRANSCRIPTION_RULES } from '../tasks/transcribe.ts';
import { COHERE_RERANK_RULES, JINA_RERANK_RULES, TEI_RERANK_RULES } from '../tasks/rerank.ts';
import type { ModelProfile, Rule } from './rule.ts';

export { CHAT_VENDORS } from '../vendors/vendors.ts';

/** A format as docs/simulator.md shows it. */
interface RuleBookPage {
  readonly title: string;
  readonly rules: readonly Pick<Rule<never>, 'id' | 'refuses' | 'source'>[];
}

interface ProfilesPage {
  readonly title: string;
  readonly profiles: readonly ModelProfile<object>[];
}

export const RULE_BOOKS: readonly RuleBookPage[] = [
  { title: 'OpenAI Chat Completions', rules: CHAT_RULES.rules },
  { title: 'OpenAI Responses', rules: RESPONSES_RULES.rules },
  { title: 'Anthropic Messages', rules: MESSAGES_RULES.rules },
  { title: 'Gemini generateContent', rules: GEMINI_RULES.rules },
  { title: 'Amazon Bedrock Converse', rules: CONVERSE_RULES.rules },
  { title: 'OpenAI embeddings', rules: OPENAI_EMBED_RULES },
  { title: 'Gemini batchEmbedContents', rules: GEMINI_BATCH_EMBED_RULES },
  { title: 'Gemini embedContent', rules: GEMINI_SINGLE_EMBED_RULES },
  { title: 'Vertex embeddings, predict', rules: VERTEX_PREDICT_RULES },
  { title: 'Vertex embeddings, embedContent', rules: VERTEX_EMBED_RULES },
  { title: 'Cohere embed', rules: COHERE_EMBED_RULES },
  { title: 'Cohere rerank', rules: COHERE_RERANK_RULES },
  { title: 'Jina rerank', rules: JINA_RERANK_RULES },
  { title: 'TEI rerank', rules: TEI_RERANK_RULES },
  { title: 'OpenAI moderations', rules: MODERATION_RULES },
  { title: 'OpenAI transcriptions and translations', rules: TRANSCRIPTION_RULES },
  { title: 'OpenAI speech', rules: SPEECH_RULES },
  { title: 'OpenAI completions', rules: COMPLETION_RULES },
  { title: 'OpenAI images', rules: OPENAI_DRAW_RULES },
  { title: 'OpenAI images, edits', rules: OPENAI_EDIT_RULES },
  { title: 'Imagen', rules: IMAGEN_RULES },
  { title: 'Gemini models that draw', rules: GEMINI_DRAW_RULES },
];

export const PROFILES: readonly ProfilesPage[] = [
  { title: 'OpenAI’s formats', profiles: OPENAI_PROFILES },
  { title: 'Anthropic’s format', profiles: ANTHROPIC_PROFILES },
  { title: 'Gemini’s format', profiles: GEMINI_PROFILES },
  { title: 'OpenAI images', profiles: IMAGE_PROFILES },
  { title: 'Amazon Bedrock Converse', profiles: CONVERSE_PROFILES },
];
