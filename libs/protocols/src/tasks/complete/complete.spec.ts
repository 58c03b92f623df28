import { findTaskClient, readTask } from '../decode-task.ts';
import { complete } from './codec.ts';

const form = { task: 'complete', format: 'openai' } as const;
const read = (body: object) => readTask(form, { model: 'm', ...body }, undefined);

test.each([
  [{ prompt: 'a' }, { limit: null, answers: 1 }],
  [
    { prompt: ['a', 'b'], max_tokens: 5, n: 2 },
    { limit: 5, answers: 4 },
  ],
  [
    { prompt: [[1, 2], [3]], max_tokens: 5, n: 2, best_of: 7 },
    { limit: 5, answers: 14 },
  ],
  [
    { prompt: [1, 2, 3], max_tokens: 7 },
    { limit: 7, answers: 1 },
  ],
  [
    { prompt: 'a', max_tokens: 0, echo: true, best_of: 0 },
    { limit: 1, answers: 1 },
  ],
  [
    { max_tokens: 3, n_predict: 9 },
    { limit: 3, raisedTo: 9, answers: 1 },
  ],
])('of %j as much is held as it may have written: %j', (body, output) => {
  expect(read(body)).toMatchObject({ ok: true, request: { output } });
});

test.each([
  [{ prompt: 'a' }, [{ texts: ['a'] }]],
  [{ prompt: ['a', 'b'], suffix: 'c' }, [{ texts: ['a', 'c'] }, { texts: ['b', 'c'] }]],
  [{ prompt: [1, 2, 3] }, [{ texts: [], tokens: 3 }]],
  [
    { prompt: [[1], [2, 3]] },
    [
      { texts: [], tokens: 1 },
      { texts: [], tokens: 2 },
    ],
  ],
  [{}, [{ texts: [], tokens: 1 }]],
])('%j has its model read %j', (body, inputs) => {
  expect(findTaskClient(form).readInputs(body)).toEqual(inputs);
});

test.each([
  [{ prompt: [] }, 'prompt'],
  [{ prompt: [['a']] }, 'prompt'],
  [{ prompt: 'a', n: 0 }, 'n'],
  [{ prompt: 'a', n: 129 }, 'n'],
  [{ prompt: 'a', max_tokens: -1 }, 'max_tokens'],
  [{ prompt: 'a', maxTokens: 5 }, 'maxTokens'],
  [{ prompt: 'a', suffix: 1 }, 'suffix'],
  [{ prompt: 'a', prompt_embeds: 'AAAA' }, 'prompt_embeds'],
])('%j is refused for its %s', (body, param) => {
  expect(read(body)).toMatchObject({ ok: false, fault: { path: [param] } });
});

const answer = {
  object: 'text_completion',
  choices: [{ index: 0, text: 'a', finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
};

test.each([true, false])('an answer that came whole is streamed, with its usage: %s', (includeUsage) => {
  const events = complete.streams?.replay(answer, { includeUsage }).map(({ data }) => data) ?? [];
  expect(events.at(-1)).toBe('[DONE]');
  expect(events[0]).toEqual({ object: 'text_completion', choices: answer.choices });
  expect(JSON.stringify(events).includes('"usage"')).toBe(includeUsage);
});
