import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Checked } from './matrix.ts';
import { openOnlyToWebSockets } from './only-websockets.ts';
import { parseExports, readRecipe, type RecipeValues } from './recipes.ts';
import { LOOPBACK_ONLY, runProcess } from './run-process.ts';
import { type KNOWN_NAMES, toClientName, UPSTREAM_MODEL_NAMES, type UpstreamModel } from './upstreams.ts';

/** How one agent is started on a machine that nobody used it on. */
interface Start {
  readonly args: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** By their path in the home directory. */
  readonly files: Readonly<Record<string, string>>;
  /** Where the prompt is read from the input. */
  readonly input?: string;
}

interface Agent {
  readonly name: string;
  /** The name that it knows the model by; else it is one that it does not know. */
  readonly knows?: (typeof KNOWN_NAMES)[number];
  /** Nothing else of it reaches the gateway. */
  readonly onlyWebSockets?: boolean;
  /** The tool that runs a command in a shell, and its arguments for one. */
  readonly call: (command: string) => {
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  };
  readonly start: (bin: Bin, values: RecipeValues & { readonly key: string }, prompt: string) => Start;
}

/** The program of an installed package. */
type Bin = (path: string) => string;

const node = (script: string): [string, string] => [process.execPath, script];

const CLAUDE_CODE: Agent = {
  name: 'Claude Code',
  call: (command) => ({ name: 'Bash', args: { command, description: 'Reads the note' } }),
  start(bin, values, prompt) {
    const [script = ''] = readRecipe('Claude Code', values);
    const program = bin('@anthropic-ai/claude-code/cli-wrapper.cjs');
    return {
      args: [...node(program), '--model', values.model, '--allowedTools', 'Bash', '-p', prompt],
      env: {
        ...parseExports(script, values.key),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
      files: {},
    };
  },
};

const CODEX: Agent = {
  name: 'Codex',
  call: (command) => ({ name: 'exec_command', args: { cmd: command } }),
  start(bin, values, prompt) {
    const [config = ''] = readRecipe('Codex CLI', values);
    const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
    return {
      args: [...node(bin('@openai/codex/bin/codex.js')), 'exec', ...flags, prompt],
      env: { TOLLGATE_KEY: values.key },
      files: { '.codex/config.toml': `check_for_update_on_startup = false\n${config}` },
    };
  },
};

const CODEX_WEBSOCKET: Agent = {
  ...CODEX,
  name: 'Codex, WebSocket',
  onlyWebSockets: true,
  start(bin, values, prompt) {
    const { files, ...rest } = CODEX.start(bin, values, prompt);
    const add = (config: string) => `${config}supports_websockets = true\n`;
    return { ...rest, files: Object.fromEntries(Object.entries(files).map(([at, text]) => [at, add(text)])) };
  },
};

const GEMINI_CLI: Agent = {
  name: 'Gemini CLI',
  call: (command) => ({ name: 'run_shell_command', args: { command } }),
  start(bin, values, prompt) {
    const [settings = '', script = ''] = readRecipe('Gemini CLI', values);
    const quiet = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };
    const program = bin('.bin/gemini');
    return {
      args: [...node(program), '--model', values.model, '--yolo', '--skip-trust', '-p', prompt],
      env: parseExports(script, values.key),
      files: {
        '.gemini/settings.json': JSON.stringify({ ...(JSON.parse(settings) as object), ...quiet }),
      },
    };
  },
};

const opencode = (provider: string, path: string): Agent => ({
  name: `opencode \`${provider}\``,
  call: (command) => ({ name: 'bash', args: { command, description: 'Reads the note' } }),
  start(bin, values, prompt) {
    const [config = ''] = readRecipe('opencode', values);
    const own = config.replace('@ai-sdk/openai-compatible', provider).replace('/v1"', `${path}"`);
    const quiet = { autoupdate: false, share: 'disabled', permission: 'allow' };
    return {
      args: [
        bin(`opencode-${process.platform}-${process.arch}/bin/opencode`),
        'run',
        '-m',
        `tollgate/${values.model}`,
      ],
      env: {
        TOLLGATE_KEY: values.key,
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
      files: {
        '.config/opencode/opencode.json': JSON.stringify({ ...(JSON.parse(own) as object), ...quiet }),
      },
      // It puts quotes around what it finds among its arguments.
      input: prompt,
    };
  },
});

const AGENTS: readonly Agent[] = [
  CODEX,
  { ...CODEX, name: 'Codex, model gpt-5.5', knows: 'gpt-5.5' },
  CODEX_WEBSOCKET,
  CLAUDE_CODE,
  { ...CLAUDE_CODE, name: 'Claude Code, model claude-sonnet-5', knows: 'claude-sonnet-5' },
  GEMINI_CLI,
  opencode('@ai-sdk/openai-compatible', '/v1'),
  opencode('@ai-sdk/openai', '/v1'),
  opencode('@ai-sdk/anthropic', '/v1'),
  opencode('@ai-sdk/google', '/v1beta'),
];

const ONE_MS = 90_000;
const NOTE = 'The word is heliotrope.';

/**
 * Runs every coding agent on all upstream models: the model asks it to read a file with its shell, and says what it read.
 *
 * @param directory where they are installed.
 */
export async function runAgents(
  directory: string,
  at: {
    readonly baseUrl: string;
    readonly key: string;
    /** Of the groups where the upstream model has the names that agents know. */
    readonly knownKeys: Readonly<Record<UpstreamModel, string>>;
  },
  only = '',
): Promise<Checked[]> {
  const cells = AGENTS.filter(({ name }) => name.includes(only)).flatMap((agent) =>
    UPSTREAM_MODEL_NAMES.map((upstream) => ({ agent, upstream })),
  );
  const checked: Checked[] = [];
  const next = cells.values();
  const work = async () => {
    for (const { agent, upstream } of next) {
      const target =
        agent.knows === undefined
          ? { key: at.key, model: toClientName(upstream) }
          : { key: at.knownKeys[upstream], model: agent.knows };
      const door = agent.onlyWebSockets ? await openOnlyToWebSockets(at.baseUrl) : undefined;
      const values = { baseUrl: door?.url ?? at.baseUrl, ...target };
      const error = await runAgent(directory, agent, values).finally(() => door?.close());
      checked.push({
        client: agent.name,
        model: upstream,
        check: 'tools',
        ...(error === undefined ? {} : { error }),
      });
    }
  };
  await Promise.all([work(), work()]);
  return checked;
}

/** @returns what went wrong. */
async function runAgent(
  directory: string,
  agent: Agent,
  values: RecipeValues & { readonly key: string },
): Promise<string | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-agent-'));
  const cwd = join(home, 'work');
  const prompt = `Read the note [[sim ${JSON.stringify({ call: agent.call('cat note.txt') })}]]`;
  try {
    const bin = (path: string) => join(directory, 'node_modules', path);
    const { args, env, files, input } = agent.start(bin, values, prompt);
    for (const [path, text] of Object.entries({ ...files, 'work/note.txt': NOTE })) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const { output, code } = await runProcess(args, {
      cwd,
      input,
      timeoutMs: ONE_MS,
      env: {
        ...LOOPBACK_ONLY,
        HOME: home,
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        TERM: 'dumb',
        ...env,
      },
    });
    if (code === 0 && /The tool says:[^]*The word is heliotrope/.test(output)) return undefined;
    return `it ended with ${code ?? 'a time-out'}: ${lastLines(output)}`;
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

const lastLines = (output: string): string => output.replaceAll(/\s+/g, ' ').trim().slice(-400);
