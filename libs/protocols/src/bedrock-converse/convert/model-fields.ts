import { claudeSettings, upToOne } from '../../convert/claude-settings.ts';
import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { plainName } from '../../dialects/dialect.ts';
import { given, type JsonObject } from '../../json.ts';
import type { NeutralRequest } from '../../neutral/request.ts';

/** What of a request each vendor of a model is told in its own words. */
interface ModelFields {
  /** For the part of a request that is the same for all models. */
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly effort?: string | undefined;
  /** The limit of output tokens, where one must be stated. */
  readonly maxTokens?: number;
  /** The vendor's own. */
  readonly fields: JsonObject;
  /** Of the vendor's own answer, as JSON pointers. */
  readonly answered?: readonly string[];
}

type Encode = (request: NeutralRequest, maxTokens: number, context: EncodeRequestContext) => ModelFields;

const sampling = ({ sampling: { temperature, topP } }: NeutralRequest, { notes }: EncodeRequestContext) =>
  given({ temperature: temperature === undefined ? undefined : upToOne(temperature, notes), topP });

const encodeClaude: Encode = (request, maxTokens, context) => {
  const { temperature, topP, topK, thinking, effort } = claudeSettings(
    request,
    { maxTokens, format: 'bedrock-converse' },
    context,
  );
  const fields = given({ top_k: topK, thinking });
  return { temperature, topP, effort, maxTokens, fields, answered: ['/stop_sequence'] };
};

const encodeNova: Encode = (request, _maxTokens, context) => {
  const { effort } = request.reasoning ?? {};
  const { topK } = request.sampling;
  const reasons =
    effort === 'none' ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: effort ?? 'medium' };
  const fields = given({
    inferenceConfig: topK === undefined ? undefined : { topK },
    reasoningConfig: request.reasoning ? reasons : undefined,
  });
  return { ...sampling(request, context), fields };
};

const encodeGptOss: Encode = (request, maxTokens, context) => {
  const { effort } = request.reasoning ?? {};
  const encoded = encodeOther(request, maxTokens, context);
  return { ...encoded, fields: given({ reasoning_effort: effort === 'none' ? undefined : effort }) };
};

/** Of models that nobody here knows the fields of, what is not the same for all is left out. */
const encodeOther: Encode = (request, _maxTokens, context) => {
  if (request.sampling.topK !== undefined) context.notes.drop(context.notes.fieldOf('top_k'));
  return { ...sampling(request, context), fields: {} };
};

/** By the model's plain name; the first that matches. */
const VENDORS: readonly (readonly [models: RegExp, encode: Encode])[] = [
  [/claude/, encodeClaude],
  [/nova/, encodeNova],
  [/gpt-oss/, encodeGptOss],
  [/(?:)/, encodeOther],
];

export const encodeModelFields: Encode = (request, maxTokens, context) => {
  const name = plainName(context.model);
  const [, encode = encodeOther] = VENDORS.find(([models]) => models.test(name)) ?? [];
  return encode(request, maxTokens, context);
};
