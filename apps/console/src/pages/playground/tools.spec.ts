import { SAMPLE_TOOLS, toolsIn } from './tools.ts';

test('the sample is a tool', () => {
  expect(toolsIn(SAMPLE_TOOLS)).toMatchObject({ fault: null, tools: [{ name: 'get_weather' }] });
});

test('nothing is no tools, and a tool without parameters takes none', () => {
  expect(toolsIn(' \n')).toEqual({ tools: [], fault: null });
  expect(toolsIn('[{"name":"now"}]')).toEqual({
    tools: [{ name: 'now', description: '', parameters: { type: 'object', properties: {} } }],
    fault: null,
  });
});

test.each([
  ['[', 'json'],
  ['{}', 'list'],
  ['[1]', 'list'],
  ['[{}]', 'name'],
  ['[{"name":"has space"}]', 'name'],
  [`[{"name":"${'x'.repeat(65)}"}]`, 'name'],
  ['[{"name":"f","parameters":[]}]', 'parameters'],
  ['[{"name":"f","parameters":"object"}]', 'parameters'],
])('%s is refused for its %s', (text, fault) => {
  expect(toolsIn(text)).toEqual({ tools: null, fault });
});
