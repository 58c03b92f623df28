import {
  CACHED_TOKEN_KINDS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  type TokenCounts,
} from '@tollgate/vocabulary';
import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { customText, inputObject, inputText } from '../../convert/tool-input.ts';
import { given, isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerPart, Choice, FinishReason, NeutralAnswer } from '../../neutral/answer.ts';
import type { Citation, ReasoningState } from '../../neutral/request.ts';
import { bareCall, isBare, wrapSignature } from './signature.ts';
import { geminiUsage } from '../usage.ts';

const BLOCKED = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'MODEL_ARMOR',
  'ESCALATION',
  'PUP_LIMITED_DISABLED',
]);
const BROKEN = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
]);

/** The upstream made a call that cannot be read: no client could do anything with it. */
export const isBroken = (word: string): boolean => BROKEN.has(word);

export function geminiFinish(word: string, calls: boolean): FinishReason {
  if (BLOCKED.has(word)) return 'content_filter';
  if (word === 'MAX_TOKENS') return 'length';
  if (word === 'CONTINUATION') return 'pause';
  return calls ? 'tool_calls' : 'stop';
}

const WORD: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  length: 'MAX_TOKENS',
  context_window: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  refusal: 'STOP',
  pause: 'STOP',
};
export const geminiFinishWord = (reason: FinishReason): string => WORD[reason];

export function decodeGeminiAnswer(body: unknown, context: DecodeAnswerContext): NeutralAnswer {
  const usage = geminiUsage.findInBody(body);
  const id = textAt(body, 'responseId');
  const candidates = listAt(body, 'candidates');
  const blocked =
    candidates.length === 0 && someTextAt(objectAt(body, 'promptFeedback'), 'blockReason') !== undefined;
  const choices = blocked
    ? [{ parts: [], finish: 'content_filter' as const }]
    : candidates.flatMap((candidate) =>
        isBroken(textAt(candidate, 'finishReason')) ? [] : [choiceOf(candidate, id, context)],
      );
  return { id, choices, tokens: usage && geminiUsage.toTokens(usage) };
}

function choiceOf(candidate: unknown, id: string, context: DecodeAnswerContext): Choice {
  const parts: AnswerPart[] = [];
  for (const part of listAt(objectAt(candidate, 'content'), 'parts')) {
    for (const next of decodePart(part, id, parts.length, context)) join(parts, next);
  }
  const cited = decodeCitations(candidate);
  const last = parts.findLastIndex(({ kind }) => kind === 'text');
  const text = parts[last];
  if (cited.length > 0 && text?.kind === 'text') parts[last] = { ...text, cited };
  return {
    parts,
    finish: geminiFinish(
      textAt(candidate, 'finishReason'),
      parts.some(({ kind }) => kind === 'tool_call'),
    ),
  };
}

/** Texts in a row are one; a state completes the thought before it. */
function join(parts: AnswerPart[], next: AnswerPart): void {
  const last = parts.at(-1);
  if (last?.kind === 'text' && next.kind === 'text')
    parts[parts.length - 1] = { kind: 'text', text: last.text + next.text };
  else if (last?.kind === 'thinking' && next.kind === 'thinking' && last.state === undefined) {
    parts[parts.length - 1] = {
      kind: 'thinking',
      text: last.text + next.text,
      ...given({ state: next.state }),
    };
  } else parts.push(next);
}

/** What one part of a response says, with the state that it carries before it. */
export function decodePart(
  part: unknown,
  id: string,
  index: number,
  { names }: DecodeAnswerContext,
): AnswerPart[] {
  const signature = someTextAt(part, 'thoughtSignature');
  const state: AnswerPart[] =
    signature === undefined || isBare(signature)
      ? []
      : [{ kind: 'thinking', text: '', state: { format: 'gemini', kind: 'signed', data: signature } }];
  const call = objectAt(part, 'functionCall');
  if (call) {
    const named = names.fromUpstream(textAt(call, 'name'));
    const input = inputText(call['args']);
    const callId = someTextAt(call, 'id') ?? `call_${id.replace(/[^A-Za-z0-9]/g, '').slice(0, 24)}${index}`;
    return [
      ...state,
      { kind: 'tool_call', id: callId, ...named, input: named.custom ? customText(input) : input },
    ];
  }
  const inline = objectAt(part, 'inlineData');
  if (textAt(inline, 'mimeType').startsWith('image/'))
    return [...state, { kind: 'image', mediaType: textAt(inline, 'mimeType'), data: textAt(inline, 'data') }];
  const text = textAt(part, 'text');
  if (text === '') return state;
  return isObject(part) && part['thought'] === true
    ? [
        {
          kind: 'thinking',
          text,
          ...(state.length > 0 && state[0]?.kind === 'thinking' ? given({ state: state[0].state }) : {}),
        },
      ]
    : [...state, { kind: 'text', text }];
}

export function decodeCitations(candidate: unknown): Citation[] {
  return listAt(objectAt(candidate, 'groundingMetadata'), 'groundingChunks').flatMap((chunk) => {
    const web = objectAt(chunk, 'web');
    const url = someTextAt(web, 'uri');
    return url === undefined ? [] : [{ url, ...given({ title: someTextAt(web, 'title') }) }];
  });
}

export const encodeGrounding = (cited: readonly Citation[]): JsonObject => ({
  groundingMetadata: {
    groundingChunks: cited.map(({ url, title }) => ({ web: { uri: url, title: title ?? url } })),
  },
});

export function encodeGeminiAnswer(answer: NeutralAnswer, context: EncodeAnswerContext): JsonObject {
  return {
    candidates: answer.choices.map((choice, index) => {
      const cited = choice.parts.flatMap((part) => (part.kind === 'text' ? (part.cited ?? []) : []));
      return {
        content: { role: 'model', parts: encodeParts(choice.parts, context) },
        finishReason: geminiFinishWord(choice.finish),
        index,
        ...(cited.length > 0 ? encodeGrounding(cited) : {}),
      };
    }),
    ...(answer.tokens ? { usageMetadata: encodeGeminiUsage(answer.tokens) } : {}),
    modelVersion: context.model,
    responseId: answer.id,
  };
}

function encodeParts(parts: readonly AnswerPart[], { states }: EncodeAnswerContext): JsonObject[] {
  const encoded: JsonObject[] = [];
  let held: ReasoningState[] = [];
  const signed = (): JsonObject => {
    const taken = held;
    held = [];
    return taken.length === 0 ? {} : { thoughtSignature: wrapSignature(taken, states) };
  };
  let isFirst = true;
  const signedCall = (): JsonObject => {
    const bare = isFirst && held.length === 0;
    isFirst = false;
    return bare ? bareCall(states) : signed();
  };
  for (const part of parts) {
    if (part.kind === 'thinking') {
      if (part.text !== '') encoded.push({ text: part.text, thought: true });
      if (part.state) held.push(part.text === '' ? part.state : { ...part.state, text: part.text });
    } else if (part.kind === 'tool_call') encoded.push({ functionCall: encodeCall(part), ...signedCall() });
    else if (part.kind === 'image') encoded.push({ inlineData: encodeInlineData(part), ...signed() });
    else encoded.push({ text: part.text, ...signed() });
  }
  if (held.length > 0) encoded.push({ text: '', ...signed() });
  return encoded;
}

export const encodeInlineData = ({ mediaType, data }: { mediaType: string; data: string }): JsonObject => ({
  mimeType: mediaType,
  data,
});

export const encodeCall = ({
  id,
  name,
  input,
  custom,
}: {
  id: string;
  name: string;
  input: string;
  custom: boolean;
}): JsonObject => ({
  id,
  name,
  args: custom ? { input } : inputObject(input),
});

export function encodeGeminiUsage(tokens: TokenCounts): JsonObject {
  const prompt = sumTokens(tokens, INPUT_TOKEN_KINDS);
  const output = sumTokens(tokens, OUTPUT_TOKEN_KINDS);
  const thoughts = tokens.output_reasoning ?? 0;
  const cached = sumTokens(tokens, CACHED_TOKEN_KINDS);
  const [cachedAudio, cachedImage] = [tokens.cache_read_audio ?? 0, tokens.cache_read_image ?? 0];
  const audio = cachedAudio + (tokens.input_audio ?? 0);
  const image = cachedImage + (tokens.input_image ?? 0);
  const counts = {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: prompt + output,
  };
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    promptTokensDetails: listModalities(prompt, audio, image),
    ...(cachedAudio + cachedImage > 0
      ? { cacheTokensDetails: listModalities(cached, cachedAudio, cachedImage) }
      : {}),
  };
}

/** Whatever is neither sound nor picture is text. */
const listModalities = (all: number, audio: number, image: number): JsonObject[] =>
  (
    [
      ['TEXT', all - audio - image],
      ['AUDIO', audio],
      ['IMAGE', image],
    ] as const
  )
    .filter(([, count]) => count > 0)
    .map(([modality, tokenCount]) => ({ modality, tokenCount }));

export const geminiErrorMessage = (body: unknown): string | undefined => {
  const error = objectAt(Array.isArray(body) ? body[0] : body, 'error');
  return someTextAt(error, 'message');
};
