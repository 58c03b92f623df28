import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELD_RULES } from '@tollgate/vocabulary';
import ts from 'typescript';

/** Methods of schemas that are told what to say. */
const SAYING = new Set(['refine', 'regex', 'min', 'max', 'length', 'string', 'uuid', 'check']);
const SAID = new Set(['message', 'error']);
/** What a path that leads nowhere is answered with: it has the code `not_found`. */
const NOT_FOUND = /^There is no such /;

/** Words that a schema refuses a value with, written into it, where their code is not known. */
function findOwnWords(text: string): string[] {
  const found: string[] = [];
  const isOwn = (node: ts.Node | undefined): node is ts.StringLiteralLike =>
    node !== undefined && ts.isStringLiteralLike(node) && /\p{L}{2,} \p{L}/u.test(node.text);
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      SAYING.has(node.expression.name.text)
    ) {
      const last = node.arguments.at(-1);
      if (isOwn(last)) found.push(last.text);
      if (last && ts.isObjectLiteralExpression(last))
        for (const each of last.properties)
          if (ts.isPropertyAssignment(each) && SAID.has(each.name.getText()) && isOwn(each.initializer))
            found.push(each.initializer.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('schema.ts', text, ts.ScriptTarget.Latest, true));
  return found.filter((words) => !NOT_FOUND.test(words));
}

const files = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
);

test.each(files)('%s refuses in words that have a code', (name) => {
  expect(findOwnWords(readFileSync(join(import.meta.dirname, name), 'utf8'))).toEqual([]);
});

test('words of a schema are found wherever they may stand', () => {
  const schema = `z.string('must be a text').regex(/x/, 'must be an x').refine(isX, { message: 'must be so' });`;
  expect(findOwnWords(schema)).toEqual(['must be so', 'must be an x', 'must be a text']);
});

test('no two rules say the same', () => {
  const words = Object.values(FIELD_RULES);
  expect(new Set(words).size).toBe(words.length);
});
