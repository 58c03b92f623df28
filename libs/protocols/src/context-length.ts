/**
 * How servers say that a request is longer than the model reads: the words of OpenAI, Azure, vLLM, Anthropic, Bedrock,
 * Google, Mistral, Groq, xAI, DeepSeek, Together, OpenRouter and llama.cpp.
 */
const WORDS = [
  /context_length_exceeded|string_above_max_context/i,
  /prompt is too long|input is too long|input length and `?max_tokens`? exceed/i,
  /(?:maximum|max|model'?s?|exceeds? the|exceeding the|larger than the|beyond the).{0,40}context (?:length|window|size)/i,
  /context (?:length|window|size).{0,60}(?:exceed|overflow|too (?:long|small|short))/i,
  /exceed.{0,40}(?:available )?context (?:length|window|size)/i,
  /(?:input|prompt) (?:token count|tokens?|length).{0,40}exceeds? the (?:maximum|model|limit)/i,
  /maximum prompt length is \d+/i,
  /(?:prompt|request|messages|input)\b.{0,40}too large for model/i,
  /reduce the length of (?:the messages|your|either)/i,
];

/** Whether an upstream's words, or the code beside them, say that the context of its model is too short for the request. */
export const isContextTooLong = (words: string): boolean => WORDS.some((pattern) => pattern.test(words));

const PROMPT = /prompt is too long/i;

/**
 * The words by which clients of Anthropic know that they must shorten a conversation, with both numbers where the
 * upstream told them: `prompt is too long: 210000 tokens > 200000 maximum`.
 */
export function promptTooLong(message: string): string {
  if (PROMPT.test(message)) return message;
  const max = numberIn(/(?:maximum|limit|window|length)[^\d]{0,60}(\d[\d,]{2,})/i.exec(message)?.[1]);
  const numbers = message.match(/\d[\d,]{2,}/g) ?? [];
  const had = Math.max(0, ...numbers.map((each) => numberIn(each) ?? 0));
  return max !== undefined && had > max
    ? `prompt is too long: ${had} tokens > ${max} maximum (${message})`
    : `prompt is too long: ${message}`;
}

const numberIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text.replaceAll(',', ''));
