import { PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { Tool } from '../neutral/request.ts';
import { CODECS } from '../registry.ts';
import { createToolNames, PLAIN_NAMES } from './tool-names.ts';

const tool = (name: string, namespace?: string, custom = false): Tool => {
  const named = { name, ...(namespace === undefined ? {} : { namespace }) };
  return custom
    ? { kind: 'custom', ...named }
    : { kind: 'function', ...named, parameters: { type: 'object' } };
};

/** Names that run into each other: by a character that is replaced, by their length, by a namespace. */
const anyName = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab._:-/ 1é🚀'), minLength: 1, maxLength: 4 }),
  fc
    .tuple(fc.constantFrom('a'.repeat(63), 'b.'.repeat(64)), fc.string({ maxLength: 3 }))
    .map((parts) => parts.join('')),
  fc.constantFrom('a', 'a__a', 'a__a__a', '_a'),
);
const anyTools = fc.uniqueArray(
  fc
    .tuple(anyName, fc.option(fc.constantFrom('a', 'a__a', 'b.c'), { nil: undefined }), fc.boolean())
    .map(([name, namespace, custom]) => tool(name, namespace, custom)),
  { maxLength: 8, selector: ({ name, namespace }) => JSON.stringify([name, namespace]) },
);

describe.each(PROTOCOLS)('%s', (protocol) => {
  const rule = CODECS[protocol].conversion.toolNames;
  const nameOf = (tools: readonly Tool[]) => {
    const names = createToolNames(tools, rule);
    return tools.map(({ name, namespace }) => ({
      namespace: rule.namespaces ? namespace : undefined,
      upstream: names.toUpstream(name, namespace),
    }));
  };

  test('takes every name', () => {
    fc.assert(
      fc.property(anyTools, (tools) => {
        for (const { upstream } of nameOf(tools)) {
          expect([...upstream].filter((character) => !rule.pattern.test(character))).toEqual([]);
          expect(upstream.length).toBeLessThanOrEqual(rule.maxLength);
          expect(upstream.charAt(0)).toMatch(rule.first ?? rule.pattern);
        }
      }),
    );
  });

  test('never gets two tools of one name', () => {
    fc.assert(
      fc.property(anyTools, (tools) => {
        const named = nameOf(tools).map((each) => JSON.stringify(each));
        expect(new Set(named).size).toBe(tools.length);
      }),
    );
  });

  test('gives every tool back under its own name', () => {
    fc.assert(
      fc.property(anyTools, (tools) => {
        const names = createToolNames(tools, rule);
        for (const { name, namespace } of tools) {
          const back = names.fromUpstream(names.toUpstream(name, namespace));
          expect(back.name).toBe(name);
          expect(back.namespace).toBe(rule.namespaces ? undefined : namespace);
        }
      }),
    );
  });

  test('gives tools of an earlier turn names that no offered tool has', () => {
    fc.assert(
      fc.property(anyTools, anyTools, (offered, earlier) => {
        const names = createToolNames(offered, rule);
        const all = [...offered, ...earlier].map(({ name, namespace }) => [
          JSON.stringify([name, namespace]),
          JSON.stringify([names.toUpstream(name, namespace), rule.namespaces ? namespace : null]),
        ]);
        expect(new Set(all.map(([, upstream]) => upstream)).size).toBe(new Set(all.map(([own]) => own)).size);
      }),
    );
  });

  test('leaves plain names alone', () => {
    const tools = ['weather', 'read_file', 'mcp__disk__read-file', 'x'.repeat(64)].map((name) => tool(name));
    expect(nameOf(tools).map(({ upstream }) => upstream)).toEqual(tools.map(({ name }) => name));
  });
});

test('a free-form tool is known again where it was made into a function', () => {
  const names = createToolNames(
    [tool('patch', undefined, true), tool('now')],
    CODECS.gemini.conversion.toolNames,
  );
  expect(names.fromUpstream('patch')).toEqual({ name: 'patch', custom: true });
  expect(names.fromUpstream('now')).toEqual({ name: 'now', custom: false });
});

test('a tool that the upstream invents keeps the name that it invented', () => {
  const names = createToolNames([tool('a.b')], CODECS['openai-chat'].conversion.toolNames);
  expect(names.fromUpstream('a_b')).toEqual({ name: 'a.b', custom: false });
  expect(names.fromUpstream('a.b')).toEqual({ name: 'a.b', custom: false });
  expect(names.fromUpstream('never')).toEqual({ name: 'never', custom: false });
});

test('plain names change nothing', () => {
  expect(PLAIN_NAMES.toUpstream('a.b', 'c')).toBe('a.b');
  expect(PLAIN_NAMES.fromUpstream('a.b')).toEqual({ name: 'a.b', custom: false });
});
