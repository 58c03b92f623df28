import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Checked } from './matrix.ts';
import { writeLibraryRecipes } from './recipes.ts';
import { LOOPBACK_ONLY, runProcess } from './run-process.ts';
import { toClientName, UPSTREAM_MODEL_NAMES } from './upstreams.ts';

const SCRIPTS = join(import.meta.dirname, 'libraries');
const ALL_MS = 180_000;

/** Runs every client library on all upstream models, in one process. @param directory where they are installed. */
export async function runLibraries(
  directory: string,
  at: { readonly baseUrl: string; readonly key: string },
  only = '',
): Promise<Checked[]> {
  const models = Object.fromEntries(UPSTREAM_MODEL_NAMES.map((model) => [model, toClientName(model)]));
  const lines = await runScript('run.mjs', directory, (home) => {
    const recipes = join(home, 'recipes');
    writeLibraryRecipes(recipes, at.baseUrl);
    return {
      TOLLGATE_KEY: at.key,
      CLIENTS_RECIPES: recipes,
      CLIENTS_ONLY: only,
      CLIENTS_MODELS: JSON.stringify(models),
    };
  });
  return lines as Checked[];
}

/** What one of the AI SDK's providers finds wrong with an answer that a conversion made, and at last how many it read. */
export async function readAnswers(directory: string): Promise<unknown[]> {
  const emitted = join(import.meta.dirname, '../../../../libs/protocols/src/convert/golden/emitted.ts');
  return runScript('answers.mjs', directory, () => ({ CLIENTS_EMITTED: emitted }));
}

/** Runs a script that imports what is installed there; answers the lines of JSON that it prints. */
async function runScript(
  script: string,
  directory: string,
  envIn: (home: string) => Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-libraries-'));
  try {
    const flags = ['--conditions=@tollgate/source', '--disable-warning=ExperimentalWarning'];
    const { output, code } = await runProcess(
      [process.execPath, ...flags, '--import', join(SCRIPTS, 'resolve.mjs'), join(SCRIPTS, script)],
      {
        cwd: home,
        timeoutMs: ALL_MS,
        env: {
          ...LOOPBACK_ONLY,
          HOME: home,
          PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
          CLIENTS_DIRECTORY: directory,
          ...QUIET,
          ...envIn(home),
        },
      },
    );
    if (code !== 0) throw new Error(`${script} ended with ${code ?? 'a time-out'}: ${output.slice(-2_000)}`);
    const lines = output.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line): unknown => JSON.parse(line));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** They tell nobody what they do. */
const QUIET = {
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  LANGCHAIN_TRACING_V2: 'false',
  AI_SDK_LOG_WARNINGS: 'false',
};
