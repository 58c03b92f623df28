import type { Source } from './read-sources.ts';

const IS_SERVICE = /^(?:apps|libs)\/[^/]+\/src\/(?!.*\.spec\.tsx?$)/;
/** It passes the lines of Nest on, which have no events. */
const PASSES_ON = 'libs/platform/src/logging.ts';
const CALL = /(?:(?<![a-z])log|Log)(?:ger)?\??(?:\.(?:trace|debug|info|warn|error|fatal)|\[[^\]]+\])\(/g;
const EVENT = /\bevent: (?:'(\w+)'|\w+ \? '(\w+)' : '(\w+)')/g;

interface LogLine {
  readonly line: number;
  /** What the call passes. */
  readonly passed: string;
}

/** What a call passes, from behind its opening bracket. */
function readArguments(text: string): string {
  let open = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') open += 1;
    if (text[at] === ')') open -= 1;
    if (open === 0) return text.slice(0, at);
  }
  return text;
}

const findLogLines = ({ text }: Source): LogLine[] =>
  Array.from(text.matchAll(CALL), ({ 0: call, index }) => ({
    line: text.slice(0, index).split('\n').length,
    passed: readArguments(text.slice(index + call.length)),
  }));

const isLogged = ({ path }: Source): boolean => IS_SERVICE.test(path) && path !== PASSES_ON;

/** Lines that a service logs without naming the event that happened, as `path:line`. */
export const findUnnamedLogLines = (code: readonly Source[]): string[] =>
  code.filter(isLogged).flatMap((source) =>
    findLogLines(source)
      .filter(({ passed }) => passed.search(EVENT) < 0)
      .map(({ line }) => `${source.path}:${line}`),
  );

/** Events that a runbook looks for in a log, and that no service logs, as `path event`. */
export function findUnknownLogEvents(documents: readonly Source[], code: readonly Source[]): string[] {
  const events = new Set(
    code
      .filter(isLogged)
      .flatMap(findLogLines)
      .flatMap(({ passed }) => [...passed.matchAll(EVENT)].flatMap(([, ...names]) => names)),
  );
  return documents
    .filter(({ path }) => path.startsWith('docs/runbooks/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^- The log of [^`\n]*`(\w+)`(?: or `(\w+)`)?/gm)].flatMap(([, ...names]) =>
        names.filter((name) => name && !events.has(name)).map((name) => `${path} ${name}`),
      ),
    );
}
