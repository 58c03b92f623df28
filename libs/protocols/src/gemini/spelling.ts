import { isObject, type JsonObject } from '../json.ts';

/** Below these stands what callers name themselves: arguments, results and schemas of tools. */
const LITERAL = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseJsonSchema',
  'responseSchema',
  'labels',
]);

export type Respelled =
  | { readonly ok: true; readonly body: JsonObject; readonly changed: boolean }
  /** A field that stands there in both spellings. */
  | { readonly ok: false; readonly path: readonly (string | number)[] };

/**
 * Google reads every field in two spellings, `maxOutputTokens` and `max_output_tokens`. A request is brought to the first, so
 * that what is held, what is converted and what is sent is one reading. One that states a field in both is none.
 */
export function respell(body: JsonObject): Respelled {
  const twice: (string | number)[] = [];
  const state = { changed: false, twice: false };
  const respelled = respellValue(body, state, twice);
  return state.twice
    ? { ok: false, path: twice }
    : { ok: true, body: isObject(respelled) ? respelled : body, changed: state.changed };
}

interface State {
  changed: boolean;
  twice: boolean;
}

/** The same value where nothing below it is spelled otherwise. */
function respellValue(value: unknown, state: State, path: (string | number)[]): unknown {
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let at = 0; at < value.length && !state.twice; at += 1) {
      path.push(at);
      const inner = respellValue(value[at], state, path);
      if (inner !== value[at]) (copy ??= [...(value as unknown[])])[at] = inner;
      if (!state.twice) path.pop();
    }
    return copy ?? value;
  }
  if (!isObject(value)) return value;
  let other = false;
  const members: [string, unknown][] = [];
  for (const name in value) {
    const right = rightName(name);
    path.push(name);
    if (right !== name && Object.hasOwn(value, right)) {
      state.twice = true;
      return value;
    }
    const inner = LITERAL.has(right) ? value[name] : respellValue(value[name], state, path);
    if (state.twice) return value;
    path.pop();
    if (right !== name) state.changed = true;
    other ||= right !== name || inner !== value[name];
    members.push([right, inner]);
  }
  if (!other) return value;
  return Object.fromEntries(members);
}

/** Fields that somebody here reads; what nobody knows passes as it came. */
const KNOWN = new Set([
  ...['generationConfig', 'maxOutputTokens', 'candidateCount', 'stopSequences', 'topP', 'topK'],
  ...['thinkingConfig', 'thinkingBudget', 'thinkingLevel', 'includeThoughts', 'speechConfig'],
  ...['responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities', 'responseLogprobs'],
  ...['presencePenalty', 'frequencyPenalty', 'mediaResolution', 'imageConfig', 'safetySettings'],
  ...['systemInstruction', 'inlineData', 'fileData', 'mimeType', 'fileUri', 'videoMetadata'],
  ...['functionCall', 'functionResponse', 'thoughtSignature', 'executableCode', 'codeExecutionResult'],
  ...['functionDeclarations', 'parametersJsonSchema', 'toolConfig', 'functionCallingConfig'],
  ...['allowedFunctionNames', 'googleSearch', 'googleSearchRetrieval', 'codeExecution', 'urlContext'],
  ...['googleMaps', 'fileSearch', 'computerUse', 'enterpriseWebSearch', 'retrievalConfig'],
  ...['cachedContent', 'serviceTier', 'continuationToken', 'generateContentRequest'],
]);

const BY_OTHER = new Map(
  [...KNOWN].map((name) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]),
);

const rightName = (name: string): string => BY_OTHER.get(name) ?? name;
