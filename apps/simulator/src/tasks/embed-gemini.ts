import { gemini } from '../formats/gemini.ts';
import { field, findText, type Json, list } from '../question.ts';
import { refuseBy, type Refusal, type Rule, type VendorRequest } from '../rules/rule.ts';
import { closed, dottedPath, findUnknown, toList } from '../rules/shape.ts';
import { billInput, countTokens, makeVector } from './embedding.ts';
import type { TaskDoor } from './task-door.ts';

const API = 'https://ai.google.dev/api/embeddings';
const MAX_BATCH = 100;

const SINGLE = closed('model taskType title outputDimensionality', {
  content: closed('role', { parts: toList(closed('text inlineData fileData')) }),
});
const BATCH = closed('', { requests: toList(SINGLE) });

export const GEMINI_TASK_TYPES = [
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
];

const wrong = (message: string): Refusal => ({ status: 400, message });

const listRequests = (body: Json, isBatch: boolean): readonly Json[] =>
  isBatch ? (list(body['requests']) as readonly Json[]) : [body];

const nameRule =
  (isBatch: boolean) =>
  (id: string, refuses: string, check: Rule<object>['check']): Rule<object> => ({
    id: `${isBatch ? 'batch-embed' : 'embed-one'}-${id}`,
    refuses,
    source: API,
    check,
  });

/** What holds for each request of a batch, and for one that stands alone. */
const toEach =
  (isBatch: boolean) =>
  (check: (request: Json, of: VendorRequest) => Refusal | undefined): Rule<object>['check'] =>
  (of) =>
    listRequests(of.body, isBatch)
      .map((request) => check(request, of))
      .find((refusal) => refusal !== undefined);

function makeRules(isBatch: boolean): Rule<object>[] {
  const each = toEach(isBatch);
  const rule = nameRule(isBatch);
  return [
    rule('unknown-member', 'a member that the method does not know', ({ body }) => {
      const [found] = findUnknown(isBatch ? BATCH : SINGLE, body);
      return found
        ? wrong(
            `Invalid JSON payload received. Unknown name "${found.member}" at '${dottedPath(found.path)}': Cannot find field.`,
          )
        : undefined;
    }),
    rule(
      'content',
      'a content without a text',
      each((request) =>
        findText(field(request['content'], 'parts')) === ''
          ? wrong('* EmbedContentRequest.content: content is empty')
          : undefined,
      ),
    ),
    rule(
      'task-type',
      'a task type that there is not',
      each(({ taskType }) =>
        taskType === undefined || GEMINI_TASK_TYPES.includes(String(taskType))
          ? undefined
          : wrong(`Invalid value at 'task_type' (TYPE_ENUM), "${String(taskType)}"`),
      ),
    ),
    rule(
      'title',
      'a title of what is no document for retrieval',
      each(({ title, taskType }) =>
        title === undefined || taskType === 'RETRIEVAL_DOCUMENT'
          ? undefined
          : wrong('* EmbedContentRequest.title: only RETRIEVAL_DOCUMENT takes a title'),
      ),
    ),
  ];
}

function makeBatchRules(): Rule<object>[] {
  const each = toEach(true);
  const rule = nameRule(true);
  return [
    rule('size', `no request, or more than ${MAX_BATCH}`, ({ body }) => {
      const { length } = list(body['requests']);
      if (length === 0) return wrong('* BatchEmbedContentsRequest.requests: requests is required');
      return length > MAX_BATCH
        ? wrong('* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch')
        : undefined;
    }),
    rule(
      'model',
      'a request of another model than the path names, or of none',
      each(({ model }, of) =>
        model === `models/${of.model}`
          ? undefined
          : wrong('* BatchEmbedContentsRequest.requests: model must match the model of the batch'),
      ),
    ),
    ...makeRules(true),
  ];
}

export const GEMINI_BATCH_EMBED_RULES = makeBatchRules();
export const GEMINI_SINGLE_EMBED_RULES = makeRules(false);

const door = (isBatch: boolean): TaskDoor => ({
  refuse: refuseBy({
    rules: isBatch ? GEMINI_BATCH_EMBED_RULES : GEMINI_SINGLE_EMBED_RULES,
    profiles: [],
    unknown: {},
  }),
  error: gemini.error,
  credential: gemini.credential,
  read: (body, pathModel = '') => ({
    model: pathModel,
    inputs: listRequests(body, isBatch).map(({ content }) => findText(field(content, 'parts'))),
  }),
  answer({ model, inputs }, body, script) {
    const requests = listRequests(body, isBatch);
    const tokens = countTokens(inputs, script);
    const embeddings = inputs.map((input, index) => ({
      values: makeVector(input, requests[index]?.['outputDimensionality'] as number | undefined),
    }));
    const usage = script.no_usage ? {} : { usageMetadata: { promptTokenCount: tokens } };
    return {
      body: isBatch ? { embeddings, ...usage } : { embedding: embeddings[0], ...usage },
      billed: billInput(model, tokens),
      tokens,
    };
  },
});

export const geminiBatchEmbed = door(true);
export const geminiSingleEmbed = door(false);
