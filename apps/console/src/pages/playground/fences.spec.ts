import { parsePieces } from './fences.ts';

const text = (words: string) => ({ kind: 'text', language: '', text: words });
const code = (language: string, words: string) => ({ kind: 'code', language, text: words });

test.each([
  ['', []],
  ['Hello\nthere', [text('Hello\nthere')]],
  [
    'Look:\n\n```ts\nconst a = 1;\n\n```\n\nDone.',
    [text('Look:'), code('ts', 'const a = 1;\n'), text('Done.')],
  ],
  ['```\na\n```', [code('', 'a')]],
  ['Half:\n```py\nprint(1', [text('Half:'), code('py', 'print(1')]],
  ['Half:\n```', [text('Half:'), code('', '')]],
  ['Say ```now``` please', [text('Say ```now``` please')]],
  ['1. a\n   ```sh\n   ls\n   ```\n2. b', [text('1. a'), code('sh', '   ls'), text('2. b')]],
])('%j is shown as %j', (answer, pieces) => {
  expect(parsePieces(answer)).toEqual(pieces);
});
