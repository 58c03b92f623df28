import { field, isObject, list } from '../question.ts';
import { findFirst } from './rule.ts';
import {
  CACHING,
  type ConverseRule,
  invalid,
  listMessages,
  listContent,
  toolUses,
  toolResults,
  id,
} from './bedrock-converse-parts.ts';

const isCachePoint = (block: unknown) => isObject(field(block, 'cachePoint'));

/** What Converse refuses of tools, their calls and their results. */
export const CONVERSE_TOOLS: readonly ConverseRule[] = [
  {
    id: 'tool-config',
    refuses: 'calls and results of tools in a conversation where no tools are offered',
    source: 'https://github.com/BerriAI/litellm/issues/5388',
    check({ body }) {
      const uses = listMessages(body).some((each) => toolUses(each).length + toolResults(each).length > 0);
      return uses && list(field(body['toolConfig'], 'tools')).length === 0
        ? invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.')
        : undefined;
    },
  },
  {
    id: 'tool-specs',
    refuses:
      'a tool without a name of 1 to 64 letters, digits, "_" and "-", with an empty description, or without a schema of an object; a list without one; a choice of a tool that is not there',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html',
    check({ body: { toolConfig } }) {
      if (toolConfig === undefined) return undefined;
      const specs = list(field(toolConfig, 'tools')).flatMap((tool) => field(tool, 'toolSpec') ?? []);
      if (specs.length === 0)
        return invalid(
          "Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
        );
      const chosen = field(field(field(toolConfig, 'toolChoice'), 'tool'), 'name');
      if (chosen !== undefined && !specs.some((spec) => field(spec, 'name') === chosen))
        return invalid(`The tool ${String(chosen)} of toolChoice is none of toolConfig.tools.`);
      return findFirst(specs, (spec, index) => {
        const at = `toolConfig.tools.${index}.member.toolSpec`;
        if (!/^[A-Za-z0-9_-]{1,64}$/.test(String(field(spec, 'name'))))
          return invalid(
            `Value '${String(field(spec, 'name'))}' at '${at}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
          );
        if (field(spec, 'description') === '')
          return invalid(
            `Value '' at '${at}.description' failed to satisfy constraint: Member must have length greater than or equal to 1`,
          );
        return field(field(field(spec, 'inputSchema'), 'json'), 'type') === 'object'
          ? undefined
          : invalid(`The value at ${at}.inputSchema.json.type must be one of the following: object.`);
      });
    },
  },
  {
    id: 'tool-results',
    refuses:
      'calls whose results do not all stand in the next turn, results of calls that were not made, and ids that are not 1 to 64 letters, digits and "_.:-"',
    source: 'https://github.com/langchain-ai/langchain-aws/issues/251',
    check: ({ body }) => {
      const messages = listMessages(body);
      return findFirst(messages, (message, index) => {
        const made = new Set(toolUses(messages[index - 1]).map(id));
        const answered = toolResults(message).map(id);
        const missing = [...made].filter((each) => !answered.includes(each));
        if (missing.length > 0)
          return invalid(
            `Expected toolResult blocks at messages.${index}.content for the following Ids: ${missing.join(', ')}`,
          );
        const stray = answered.filter((each) => !made.has(each));
        if (stray.length > 0)
          return invalid(
            `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
          );
        if (index === messages.length - 1 && toolUses(message).length > 0)
          return invalid(
            `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${toolUses(message).map(id).join(', ')}`,
          );
        return findFirst([...toolUses(message).map(id), ...answered], (each) =>
          /^[A-Za-z0-9_.:-]{1,64}$/.test(each)
            ? undefined
            : invalid(`Value '${each}' at 'toolUseId' failed to satisfy constraint`),
        );
      });
    },
  },
  {
    id: 'cached-models',
    refuses:
      'a mark for the cache of a model that caches nothing, or not there: with the status of a wrong credential',
    source: 'https://github.com/BerriAI/litellm/pull/39210',
    check({ body, profile: { caches } }) {
      const tools = list(field(body['toolConfig'], 'tools'));
      const said = [...list(body['system']), ...listMessages(body).flatMap(listContent)];
      const refused = caches === 'anywhere' ? [] : caches === 'but_tools' ? tools : [...tools, ...said];
      return refused.some(isCachePoint)
        ? {
            status: 403,
            message:
              'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.',
          }
        : undefined;
    },
  },
  {
    id: 'cache-hours',
    refuses: 'a mark that lasts an hour, of a model that AWS does not say it of',
    source: CACHING,
    check({ body, model }) {
      const marks = [
        ...list(body['system']),
        ...list(field(body['toolConfig'], 'tools')),
        ...listMessages(body).flatMap(listContent),
      ];
      return marks.some((mark) => field(field(mark, 'cachePoint'), 'ttl') === '1h') &&
        !/claude-(?:opus|sonnet|haiku)-4-5/.test(model)
        ? invalid('system.0.cache_control.ephemeral.ttl: Extra inputs are not permitted')
        : undefined;
    },
  },
  {
    id: 'cache-points',
    refuses: 'more than four marks for the cache, and one that nothing stands before',
    source: CACHING,
    check({ body }) {
      const lists = [
        list(body['system']),
        list(field(body['toolConfig'], 'tools')),
        ...listMessages(body).map(listContent),
      ];
      if (lists.some(([first]) => isCachePoint(first)))
        return invalid('A cachePoint cannot be the first block.');
      return lists.flat().filter(isCachePoint).length > 4
        ? invalid('A maximum of 4 blocks with cache_control may be provided.')
        : undefined;
    },
  },
];
