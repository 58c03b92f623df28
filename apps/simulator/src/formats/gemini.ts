import type { Answer, SimulatedUsage } from '../answer.ts';
import { billGemini } from '../bill/billed.ts';
import type { AskedExtras, Extras, TellableExtras, Tier } from '../extras.ts';
import { field, isObject, type Json, list, trailing } from '../question.ts';
import { read } from '../rules/gemini-members.ts';
import { GEMINI_RULES } from '../rules/gemini.ts';
import { refuseBy } from '../rules/rule.ts';
import { type Format, type StreamEvent } from './format.ts';

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' } as const;

/** Zero counts are left out, as the real API does; `output` is the sum of candidates and thoughts. */
function usageOf({ extras }: Answer, usage: SimulatedUsage, output: number): object {
  const thoughts = Math.min(usage.reasoning, output);
  const { audioOut, imageOut } = usage;
  const isWhole = output === usage.output;
  const counts = {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cacheRead,
    candidatesTokenCount: output - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: usage.input + output,
  };
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    promptTokensDetails: modalities(usage.input, usage.audioIn, usage.imageIn),
    ...(usage.cacheRead
      ? { cacheTokensDetails: modalities(usage.cacheRead, usage.cachedAudio, usage.cachedImage) }
      : {}),
    ...(isWhole && audioOut + imageOut > 0
      ? { candidatesTokensDetails: modalities(output - thoughts, audioOut, imageOut) }
      : {}),
    ...servedAs(extras),
  };
}

/** Text is what is neither sound nor picture. */
const modalities = (all: number, audio: number, image: number): object[] =>
  [
    { modality: 'TEXT', tokenCount: all - audio - image },
    { modality: 'AUDIO', tokenCount: audio },
    { modality: 'IMAGE', tokenCount: image },
  ].filter(({ tokenCount }) => tokenCount > 0);

const TIER_WORDS: Readonly<Partial<Record<Tier, { serviceTier?: string; trafficType?: string }>>> = {
  standard: { serviceTier: 'standard', trafficType: 'ON_DEMAND' },
  priority: { serviceTier: 'priority', trafficType: 'ON_DEMAND_PRIORITY' },
  flex: { serviceTier: 'flex', trafficType: 'ON_DEMAND_FLEX' },
  batch: { serviceTier: 'batch' },
  // Vertex alone has it.
  reserved: { trafficType: 'PROVISIONED_THROUGHPUT' },
};

const tellable: TellableExtras = {
  tools: ['search'],
  tiers: Object.keys(TIER_WORDS) as Tier[],
  regions: false,
};

/** The tier in the words of the Gemini API or of Vertex. */
function servedAs({ tier, trafficType: ofVertex }: Extras): object {
  if (tier === undefined) return {};
  const { serviceTier, trafficType } = TIER_WORDS[tier] ?? {};
  return ofVertex || serviceTier === undefined ? { trafficType } : { serviceTier };
}

function readAskedExtras(body: Json): AskedExtras {
  const searches = list(body['tools']).some((tool) =>
    ['googleSearch', 'enterpriseWebSearch'].some((name) => isObject(read(tool, name))),
  );
  const word = read(body, 'serviceTier');
  const said = typeof word === 'string' ? word.toLowerCase().replace('service_tier_', '') : undefined;
  const tier = (['priority', 'flex'] as const).find((each) => each === said);
  return {
    tools: new Set(searches ? ['search'] : []),
    tier: said === undefined ? undefined : (tier ?? 'standard'),
  };
}

/** What an answer is grounded on, with every query that was made for it. */
const groundingOf = ({ searches }: Extras): object =>
  searches === 0
    ? {}
    : {
        groundingMetadata: {
          webSearchQueries: Array.from({ length: searches }, (_, index) => `query ${index}`),
          groundingChunks: [{ web: { uri: 'https://example.com/page', title: 'A page' } }],
          groundingSupports: [],
        },
      };

function partsOf(answer: Answer): object[] {
  const thoughtSignature = answer.reasoningState;
  return [
    ...(answer.reasoning ? [{ text: answer.reasoning, thought: true }] : []),
    ...answer.pieces.map((text) => ({ text })),
    ...answer.calls.map(({ id, name, args }, index) => ({
      functionCall: { id, name, args },
      ...(index === 0 ? { thoughtSignature } : {}),
    })),
  ];
}

const wholePartsOf = (answer: Answer): object[] =>
  partsOf({ ...answer, pieces: answer.text === '' ? [] : [answer.text] });

const responseOf = (
  answer: Answer,
  parts: object[],
  finishReason: string | undefined,
  usage: object | undefined,
) => ({
  candidates: [
    {
      content: { role: 'model', parts },
      ...(finishReason ? { finishReason, ...groundingOf(answer.extras) } : {}),
      index: 0,
    },
  ],
  ...(usage ? { usageMetadata: usage } : {}),
  modelVersion: answer.model,
  responseId: answer.id,
});

/** Gemini generateContent. */
export const gemini: Format = {
  refuse: refuseBy(GEMINI_RULES),
  stateOwner: (account) => ({ vendor: 'google', account }),
  read(body, target) {
    const contents = list(body['contents'] ?? field(body['generateContentRequest'], 'contents'));
    if (contents.length === 0)
      throw new Error('* GenerateContentRequest.contents: contents is not specified');
    const textsOf = (content: unknown) =>
      list(field(content, 'parts'))
        .map((part) => field(part, 'text'))
        .filter((text) => typeof text === 'string')
        .join(' ');
    const responsesOf = (content: unknown) =>
      list(field(content, 'parts')).flatMap((part) => {
        const result = field(part, 'functionResponse');
        return isObject(result) ? [JSON.stringify(result['response'])] : [];
      });
    // Some clients send each result in a turn of its own.
    const results = trailing(contents, (content) => responsesOf(content).length > 0).flatMap(responsesOf);
    const users = contents.filter((content) => field(content, 'role') !== 'model');
    const declared = list(body['tools']).flatMap((tool) => list(field(tool, 'functionDeclarations')));
    const thinking = field(body['generationConfig'], 'thinkingConfig');
    return {
      model: target.model,
      stream: target.stream,
      includeUsage: true,
      texts: [textsOf(body['systemInstruction']), ...contents.map(textsOf), ...results],
      lastUserText: textsOf(users.at(-1)),
      toolResult: results.length > 0 ? results.join(' ') : undefined,
      tools: declared.map((tool) => ({
        name: String(field(tool, 'name')),
        schema: field(tool, 'parametersJsonSchema') ?? field(tool, 'parameters'),
      })),
      asked: readAskedExtras(body),
      toolForced: field(field(body['toolConfig'], 'functionCallingConfig'), 'mode') === 'ANY',
      reasoning: isObject(thinking) && thinking['thinkingBudget'] !== 0,
    };
  },
  whole: (answer) =>
    responseOf(
      answer,
      wholePartsOf(answer),
      FINISH[answer.finish],
      answer.usage && usageOf(answer, answer.usage, answer.usage.output),
    ),
  events(answer) {
    const said = partsOf(answer);
    const parts = said.length > 0 ? said : [{ text: '' }];
    const { usage } = answer;
    return parts.map((part, index): StreamEvent => {
      const last = index === parts.length - 1;
      const soFar = last ? usage?.output : Math.floor(((usage?.output ?? 0) * (index + 1)) / parts.length);
      return {
        data: responseOf(
          answer,
          [part],
          last ? FINISH[answer.finish] : undefined,
          usage && usageOf(answer, usage, soFar ?? 0),
        ),
      };
    });
  },
  tellable,
  bill: billGemini,
  terminator: '',
  error: (status, message, refusal) => ({
    error: {
      code: status,
      message,
      status: STATUS[status] ?? 'INTERNAL',
      ...(refusal?.details ? { details: refusal.details } : {}),
    },
  }),
  credential: (headers) =>
    typeof headers['x-goog-api-key'] === 'string' ? headers['x-goog-api-key'] : undefined,
  countTokens: (words) => ({
    totalTokens: words,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: words }],
  }),
};
