import { gemini } from '../formats/gemini.ts';
import { field, findText, type Json, list } from '../question.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import { closed, dottedPath, findUnknown, toList } from '../rules/shape.ts';
import { withoutScript } from '../script.ts';
import { GEMINI_TASK_TYPES } from './embed-gemini.ts';
import { billInput, countTokens, makeVector } from './embedding.ts';
import type { TaskDoor } from './task-door.ts';

const API = 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api';
const CLIENT = '@google/genai 3.1.0, embedContent';
const BATCH_OF_ONE = 'https://github.com/RooCodeInc/Roo-Code/issues/5123';

const wrong = (message: string): Refusal => ({ status: 400, message });
const named =
  (door: string) =>
  (id: string, refuses: string, check: Rule<object>['check'], source = API): Rule<object> => ({
    id: `vertex-${door}-${id}`,
    refuses,
    source,
    check,
  });

/** How Google's own client tells which of the two ways a model is asked. */
export const isAskedAsGemini = (model: string): boolean =>
  (model.includes('gemini') && model !== 'gemini-embedding-001') || model.includes('maas');

const unlike = (shape: Parameters<typeof findUnknown>[0]): Rule<object>['check'] =>
  function check({ body }) {
    const [found] = findUnknown(shape, body);
    return found
      ? wrong(
          `Invalid JSON payload received. Unknown name "${found.member}" at '${dottedPath(found.path)}': Cannot find field.`,
        )
      : undefined;
  };

const refuseTask = (type: unknown, title: unknown): Refusal | undefined => {
  if (type !== undefined && !GEMINI_TASK_TYPES.includes(String(type)))
    return wrong(`Unable to submit request because the task type ${String(type)} is not supported.`);
  return title !== undefined && type !== 'RETRIEVAL_DOCUMENT'
    ? wrong('Unable to submit request because a title goes with the task type RETRIEVAL_DOCUMENT only.')
    : undefined;
};

const predict = named('predict');
const PREDICT = closed('', {
  instances: toList(closed('content task_type title mimeType')),
  parameters: closed('outputDimensionality autoTruncate'),
});
const listInstances = (body: Json): readonly Json[] => list(body['instances']) as readonly Json[];

export const VERTEX_PREDICT_RULES = [
  predict('unknown-member', 'a member that it does not know', unlike(PREDICT)),
  predict('instances', 'no instance', ({ body }) =>
    listInstances(body).length === 0 ? wrong('Empty instances.') : undefined,
  ),
  predict(
    'batch',
    'several instances for gemini-embedding-001, more than 250 for others',
    ({ body, model }) => {
      const { length } = listInstances(body);
      const max = model === 'gemini-embedding-001' ? 1 : 250;
      return length > max
        ? wrong(
            `Unable to submit request because batchSize must be ${max} but the entered value was ${length}. Update the batchSize value and try again.`,
          )
        : undefined;
    },
    BATCH_OF_ONE,
  ),
  predict('content', 'an instance without a text', ({ body }) =>
    listInstances(body).every(({ content }) => typeof content === 'string' && content !== '')
      ? undefined
      : wrong('The text content is empty.'),
  ),
  predict('task', 'a task type that there is not, or a title of another than of documents', ({ body }) =>
    listInstances(body)
      .map(({ task_type, title }) => refuseTask(task_type, title))
      .find((refusal) => refusal !== undefined),
  ),
];

const embed = named('embed');
const EMBED = closed('', {
  content: closed('role', { parts: toList(closed('text inlineData fileData')) }),
  embedContentConfig: closed(
    'taskType title outputDimensionality autoTruncate documentOcr audioTrackExtraction',
  ),
});

export const VERTEX_EMBED_RULES = [
  embed('unknown-member', 'a member that it does not know', unlike(EMBED), CLIENT),
  embed('content', 'a content without a text', ({ body }) =>
    findText(field(body['content'], 'parts')) === ''
      ? wrong('* EmbedContentRequest.content: content is empty')
      : undefined,
  ),
  embed('task', 'a task type that there is not, or a title of another than of documents', ({ body }) => {
    const config = body['embedContentConfig'];
    return refuseTask(field(config, 'taskType'), field(config, 'title'));
  }),
];

const common = { error: gemini.error, credential: gemini.credential };
const dimensionsAt = (value: unknown) => field(value, 'outputDimensionality') as number | undefined;

/** Embeddings of Vertex as predictions, which tell of each text what it counts. */
export const vertexPredict: TaskDoor = {
  ...common,
  refuse: refuseBy({ rules: VERTEX_PREDICT_RULES, profiles: [], unknown: {} }),
  read: (body, model = '') => ({ model, inputs: listInstances(body).map(({ content }) => String(content)) }),
  answer({ model, inputs }, body, script) {
    const tokens = countTokens(inputs, script);
    const counts = inputs.map((each) => countTokens([each], script));
    const predictions = inputs.map((input, index) => ({
      embeddings: {
        values: makeVector(input, dimensionsAt(body['parameters'])),
        ...(script.no_usage ? {} : { statistics: { truncated: false, token_count: counts[index] } }),
      },
    }));
    const billableCharacterCount = withoutScript(inputs.join('')).replaceAll(/\s/g, '').length;
    return {
      body: { predictions, metadata: { billableCharacterCount } },
      billed: billInput(model, tokens),
      tokens,
    };
  },
};

/** Those of newer models of Gemini, one content at a time. */
export const vertexEmbed: TaskDoor = {
  ...common,
  refuse: refuseBy({ rules: VERTEX_EMBED_RULES, profiles: [], unknown: {} }),
  read: (body, model = '') => ({ model, inputs: [findText(field(body['content'], 'parts'))] }),
  answer({ model, inputs: [input = ''] }, body, script) {
    const tokens = countTokens([input], script);
    const usage = { usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens } };
    const values = makeVector(input, dimensionsAt(body['embedContentConfig']));
    return {
      body: { embedding: { values }, truncated: false, ...(script.no_usage ? {} : usage) },
      billed: billInput(model, tokens),
      tokens,
    };
  },
};
