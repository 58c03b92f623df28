import { snakeCase } from './gemini-members.ts';
import { closed, toList, toMap, type Shape } from './shape.ts';

/** Google reads each name in camelCase and in snake_case. */
const bothCases = (shape: Shape): Shape => {
  if (typeof shape !== 'object' || !('fields' in shape)) return shape;
  const fields = Object.entries(shape.fields).flatMap(([name, member]) => [
    [name, member] as const,
    [snakeCase(name), member] as const,
  ]);
  return { fields: Object.fromEntries(fields) };
};
const message = (names: string, nested: Readonly<Record<string, Shape>> = {}): Shape =>
  bothCases(closed(names, nested));

const blob = message('data mimeType displayName');
const file = message('fileUri mimeType displayName');

const part = message('text thought thoughtSignature toolCall toolResponse mediaResolution mediaProcessing', {
  inlineData: blob,
  fileData: file,
  functionCall: message('id name args partialArgs willContinue'),
  functionResponse: message('id name response willContinue scheduling', {
    parts: toList(message('mediaProcessing', { inlineData: blob, fileData: file })),
  }),
  executableCode: message('id language code'),
  codeExecutionResult: message('id outcome output'),
  videoMetadata: message('startOffset endOffset fps'),
  audioTranscription: 'any',
  partMetadata: 'any',
  speechMetadata: message('speaker style'),
});
const content = message('role', { parts: toList(part) });

/** The subset of OpenAPI that a schema of Google is. Whether `additionalProperties` is in it has changed: it passes. */
const schema: Shape = message(
  `type format title description nullable enum maxItems minItems required minProperties maxProperties minLength maxLength
  pattern example propertyOrdering default minimum maximum additionalProperties`,
  {
    properties: toMap({ lazy: () => schema }),
    items: { lazy: () => schema },
    anyOf: toList({ lazy: () => schema }),
  },
);

const declaration = message('name description behavior parametersJsonSchema responseJsonSchema', {
  parameters: schema,
  response: schema,
});

const tool = message(
  `googleSearch googleSearchRetrieval codeExecution urlContext fileSearch googleMaps computerUse mcpServers retrieval
  enterpriseWebSearch`,
  { functionDeclarations: toList(declaration) },
);

const generationConfig = message(
  `temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs logprobs presencePenalty
  frequencyPenalty seed responseMimeType responseJsonSchema _responseJsonSchema responseModalities mediaResolution
  speechConfig enableEnhancedCivicAnswers imageConfig audioTimestamp responseFormat translationConfig
  audioTranscriptionConfig routingConfig modelSelectionConfig`,
  {
    responseSchema: schema,
    thinkingConfig: message('includeThoughts thinkingBudget thinkingLevel'),
  },
);

/** What Google knows of a request for an answer, from its SDK of version 3.1. */
export const GENERATE_SHAPE: Shape = message(
  'model cachedContent labels serviceTier store continuationToken',
  {
    contents: toList(content),
    systemInstruction: content,
    generationConfig,
    safetySettings: toList(message('category threshold method')),
    tools: toList(tool),
    toolConfig: message('retrievalConfig includeServerSideToolInvocations', {
      functionCallingConfig: message('mode allowedFunctionNames streamFunctionCallArguments'),
    }),
  },
);

/** A count is of contents, or of a whole request; Vertex takes its members beside the contents. */
export const COUNT_SHAPE: Shape = message('model instances', {
  contents: toList(content),
  systemInstruction: content,
  tools: toList(tool),
  generationConfig,
  generateContentRequest: GENERATE_SHAPE,
});
