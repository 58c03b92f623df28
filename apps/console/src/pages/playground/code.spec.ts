import { DEFAULT_SETTINGS, readSettings } from './parameters.ts';
import fc from 'fast-check';
import ts from 'typescript';
import { CODE_LANGUAGES, codeFor } from './code.ts';
import type { Ask } from './formats/format.ts';
import { FORMAT_IDS } from './formats/format-id.ts';
import { FORMATS } from './formats/formats.ts';

const ask = (text: string): Ask => ({
  model: 'acme-large',
  ...readSettings(DEFAULT_SETTINGS),
  system: text,
  temperature: 0.5,
  maxTokens: null,
  tools: [{ name: 'f', description: text, parameters: { type: 'object', 'x-odd key': true, nothing: null } }],
  turns: [{ role: 'user', text, pictures: [] }],
});
const facts = (format: (typeof FORMAT_IDS)[number], text = 'Hello') => ({
  format,
  model: 'acme-large',
  origin: 'https://relay.example',
  request: { path: FORMATS[format].path('acme-large'), body: FORMATS[format].body(ask(text)) },
});

const every = CODE_LANGUAGES.flatMap(({ id }) => FORMAT_IDS.map((format) => [id, format] as const));

test.each(every)(
  '%s for %s names the relay, the model and the variable of the key, and no key',
  (language, format) => {
    const code = codeFor(language, facts(format));
    for (const part of ['https://relay.example', 'acme-large', 'TOLLGATE_KEY', 'Hello'])
      expect(code).toContain(part);
  },
);

test.each(FORMAT_IDS)('what curl sends as %s is the body, whatever quotes are in it', (format) => {
  const unquoted = (shell: string) => shell.replaceAll(`'\\''`, "'");
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const of = facts(format, text);
      const body = /-d '([^]*)'$/.exec(codeFor('curl', of))?.[1] ?? '';
      expect(body.replaceAll(`'\\''`, '').includes("'")).toBe(false);
      expect(JSON.parse(unquoted(body))).toEqual(JSON.parse(JSON.stringify(of.request.body)));
    }),
  );
});

/** The first argument of the call that makes the request. */
function argumentIn(code: string): unknown {
  const file = ts.createSourceFile('a.ts', code, ts.ScriptTarget.Latest, true);
  let found: ts.ObjectLiteralExpression | undefined;
  const visit = (node: ts.Node): void => {
    const [first] = ts.isCallExpression(node) ? node.arguments : [];
    if (first && ts.isObjectLiteralExpression(first)) found ??= first;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found && valueOf(found);
}

function valueOf(node: ts.Expression): unknown {
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(valueOf);
  if (ts.isObjectLiteralExpression(node))
    return Object.fromEntries(
      node.properties
        .filter((property) => ts.isPropertyAssignment(property))
        .map(({ name, initializer }) => [
          (name as ts.Identifier | ts.StringLiteral).text,
          valueOf(initializer),
        ]),
    );
  return { true: true, false: false, null: null }[node.getText()];
}

test.each([
  ['openai', (body: object) => body],
  ['openai-response', (body: object) => body],
  ['anthropic', ({ stream: _stream, ...body }: Record<string, unknown>) => body],
  [
    'gemini',
    ({ contents, generationConfig, ...rest }: Record<string, unknown>) => ({
      model: 'acme-large',
      contents,
      config: { ...(generationConfig as object), ...rest },
    }),
  ],
] as const)('what TypeScript hands to the SDK for %s is the request', (format, handed) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const of = facts(format, text);
      expect(argumentIn(codeFor('typescript', of))).toEqual(
        handed(of.request.body as Record<string, unknown>),
      );
    }),
  );
});

test('Python is written with its own words', () => {
  const code = codeFor('python', facts('openai', 'Say "hi"\nand \\n'));
  expect(code).toContain(`    model="acme-large",\n    messages=[\n        {\n            "role": "system",`);
  expect(code).toContain(String.raw`"content": "Say \"hi\"\nand \\n",`);
  expect(code).toContain('    stream=True,');
  expect(code).toContain('"nothing": None,');
});

test('Python of Google takes everything but the contents in one object', () => {
  const code = codeFor('python', facts('gemini'));
  expect(code).toMatch(/\n {4}model="acme-large",\n {4}contents=\[/);
  expect(code).toMatch(/\n {4}config=\{\n {8}"temperature": 0\.5,\n {8}"systemInstruction": \{/);
});
