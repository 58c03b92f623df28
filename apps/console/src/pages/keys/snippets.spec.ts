import { type Facts, modelsFor, SNIPPETS } from './snippets.ts';
import { exampleModel } from '../../shared/example-prices.ts';

const facts: Facts = {
  origin: 'https://relay.example',
  key: 'sk-secret',
  openai: 'gpt-x',
  anthropic: 'claude-x',
  gemini: 'gemini-x',
};

test.each(SNIPPETS.map((snippet) => [snippet.name, snippet] as const))(
  'what is pasted into %s holds the key, the address and a model',
  (_name, { write }) => {
    const code = write(facts);
    expect(code).toContain('sk-secret');
    expect(code).toMatch(/gpt-x|claude-x|gemini-x/);
    expect(code).toContain('https://relay.example');
  },
);

test.each([
  ['openai-python', true],
  ['openai-node', true],
  ['codex', true],
  ['anthropic', false],
  ['gemini', false],
  ['claude-code', false],
  ['gemini-cli', false],
])('the address for %s ends in /v1: %s', (id, ends) => {
  const code = SNIPPETS.find((snippet) => snippet.id === id)?.write(facts) ?? '';
  expect(code.includes('https://relay.example/v1')).toBe(ends);
});

const model = (model_name: string, owner_by: string, enable_groups: string[]) =>
  exampleModel({ model_name, owner_by, enable_groups });

test('each client gets a model of its own maker, else the first that the key may use', () => {
  const data = [
    model('sim-chat', 'openai', ['default']),
    model('sim-claude', 'anthropic', ['default', 'narrow']),
    model('sim-gemini', 'google', ['default']),
  ];
  expect(modelsFor({ data }, { group: 'default', models: null })).toEqual({
    openai: 'sim-chat',
    anthropic: 'sim-claude',
    gemini: 'sim-gemini',
  });
  expect(modelsFor({ data }, { group: 'narrow', models: null })).toEqual({
    openai: 'sim-claude',
    anthropic: 'sim-claude',
    gemini: 'sim-claude',
  });
  expect(modelsFor({ data }, { group: 'default', models: ['sim-gemini', 'sim-claude'] })).toEqual({
    openai: 'sim-claude',
    anthropic: 'sim-claude',
    gemini: 'sim-gemini',
  });
});

test('while nothing is known of the models, their place is marked', () => {
  expect(modelsFor(undefined, { group: 'default', models: null })).toEqual({
    openai: 'MODEL',
    anthropic: 'MODEL',
    gemini: 'MODEL',
  });
});
