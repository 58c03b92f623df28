import { type RunningSimulator, startSimulator } from '../src/simulator.ts';

/** A request that a rule refuses, and its neighbour that passes. Both are laid over what all requests have. */
export interface RuleCase {
  readonly rule: string;
  /** A model of a profile; otherwise one that no profile knows. */
  readonly model?: string;
  readonly bad: object;
  readonly good: object;
  /** The vendor's whole message, or a part that tells it from every other. */
  readonly says: string | RegExp;
  readonly status?: number;
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the neighbour sends in their place. */
  readonly goodHeaders?: Readonly<Record<string, string>>;
}

interface RuledFormat {
  readonly book: {
    readonly rules: readonly { readonly id: string; readonly source: string }[];
    readonly profiles: readonly { readonly source: string }[];
  };
  readonly cases: readonly RuleCase[];
  readonly url: (model: string) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (model: string) => object;
  /** The error that the vendor's envelope holds. */
  readonly error: (said: unknown) => unknown;
}

/** Every rule of a format has a case, and each case holds over HTTP. */
export function describeRules({ book, cases, url, headers, body, error }: RuledFormat): void {
  let simulator: RunningSimulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator.close());

  const send = async (model: string, over: object, more: Readonly<Record<string, string>>) => {
    const answer = await fetch(simulator.url + url(model), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...more },
      body: JSON.stringify({ ...body(model), ...over }),
    });
    return { status: answer.status, said: (await answer.json()) as unknown };
  };

  test('each rule has a case, a source and an id of its own', () => {
    const ids = book.rules.map(({ id }) => id);
    expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    for (const { source } of [...book.rules, ...book.profiles]) expect(source).toMatch(/^https:\/\//);
  });

  test.each(cases.map((each, index) => [each.rule, index, each] as const))(
    '%s refuses what its vendor refuses, and its neighbour passes (%i)',
    async (_rule, _index, each) => {
      const model = each.model ?? 'sim';
      const bad = await send(model, each.bad, each.headers ?? {});
      const refused = error(bad.said) as { message?: unknown };
      expect(refused).toMatchObject({
        message: typeof each.says === 'string' ? each.says : (expect.stringMatching(each.says) as unknown),
        ...(each.param === undefined ? {} : { param: each.param }),
        ...(each.code === undefined ? {} : { code: each.code }),
      });
      expect(bad.status).toBe(each.status ?? 400);
      const good = await send(model, each.good, each.goodHeaders ?? each.headers ?? {});
      expect([good.status, good.status === 200 ? undefined : good.said]).toEqual([200, undefined]);
    },
  );
}
