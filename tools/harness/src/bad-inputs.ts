type BadText = readonly [what: string, inUrl: string, text: string];

/** What every parameter is given that wants none of it: as it stands in a URL, and as a text. */
const WORST_TEXTS: readonly BadText[] = [
  ['NUL', 'a%00b', 'a\0b'],
  ['half a character', '%ED%A0%80', '\ud800'],
  ['the year 0', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
  ['the last moment', '9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59-23:59'],
  ['a long text', 'x'.repeat(4_000), 'x'.repeat(20_000)],
];
/** Each parameter is given some of these, in turn. */
const MORE_TEXTS: readonly BadText[] = [
  ['no UTF-8', '%FF%C0%80', '\ufffe'],
  ['nothing', '', ''],
  ['the day before the year 1', '0000-12-31', '0000-12-31'],
  ['a month of the year 0', '0000-01', '0000-01'],
  ['the year 10000', '%2B010000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z'],
  ['a day that is none', '2026-02-30T25:61:61Z', '2026-02-30T25:61:61Z'],
  ['the id of nothing', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
  ['a number without end', '9'.repeat(40), '9'.repeat(40)],
  ['a number below zero', '-1', '-1'],
  ['a percent sign', '%25', '%'],
];
const MORE_OF_EACH = 2;

/** The bad texts of one parameter after the other. */
function turns(): () => BadText[] {
  let turn = 0;
  return () => {
    const more = Array.from({ length: MORE_OF_EACH }, (_, at) => MORE_TEXTS[(turn + at) % MORE_TEXTS.length]);
    turn += MORE_OF_EACH;
    return [...WORST_TEXTS, ...more.filter((text) => text !== undefined)];
  };
}

/** What stands in a body where something else is wanted. */
const BAD_VALUES: readonly (readonly [what: string, json: string])[] = [
  ['null', 'null'],
  ['a list', '[]'],
  ['an object', '{"a":1}'],
  ['a large number', '1e308'],
  ['a number that is not exact', '9007199254740993'],
  ['what is nested deep', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
];
/** Of ids in paths that are not looked at. */
const NOTHING = '0198f1c2-7d1e-7000-8000-00000000dead';
const AT_ONCE = 4;

interface Parameter {
  readonly name: string;
  readonly in: string;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: { readonly example?: unknown; readonly examples?: readonly unknown[] } }
      >
    >;
  };
}
/** As much of an OpenAPI document as is read here. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface ApiRoute {
  readonly method: string;
  /** Such as `/api/keys/:id`. */
  readonly path: string;
}

interface BadRequest {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

/**
 * Every parameter of every route with bad values: in its path, its query, and each field of its body's
 * example. A route needs no list of its own: its parameters come from the document.
 *
 * @throws Error for a route that the document does not describe.
 */
export function badRequests(routes: readonly ApiRoute[], document: ApiDocument): BadRequest[] {
  const nextTexts = turns();
  return routes.flatMap(({ method, path }) => {
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (!operation) throw new Error(`the OpenAPI document has no ${method} ${path}`);
    const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    const example = content?.schema.examples?.[0] ?? content?.schema.example;
    const request = (what: string, url: string, body = JSON.stringify(example)): BadRequest => ({
      what: `${method} ${path}, ${what}`,
      method,
      path: url,
      ...(type === undefined ? {} : { type, body }),
    });
    const known = path
      .replace(/:\w*month/g, '2026-01')
      .replace(/:number/g, '1')
      .replace(/:\w+/g, NOTHING);
    const inPath = [...path.matchAll(/:(\w+)/g)].flatMap(([placeholder, name]) =>
      nextTexts()
        .filter(([, text]) => text !== '')
        .map(([what, text]) => {
          const [before = '', after = ''] = path
            .split(placeholder)
            .map((part) => part.replace(/:\w+/g, NOTHING));
          return request(`${name}: ${what}`, `${before}${text}${after}`);
        }),
    );
    const inQuery = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name }) =>
        nextTexts().map(([what, text]) =>
          request(`?${name}: ${what}`, `${known}?${encodeURIComponent(name)}=${text}`),
        ),
      );
    const inBody =
      type === 'application/json'
        ? badBodies(example, nextTexts).map(([what, body]) => request(what, known, body))
        : type === undefined
          ? []
          : [...WORST_TEXTS, ...MORE_TEXTS].map(([what, , text]) => request(`body: ${what}`, known, text));
    return [...inPath, ...inQuery, ...inBody];
  });
}

/** The example with each of its fields, and itself, made bad in turn. */
function badBodies(
  example: unknown,
  nextTexts: () => readonly BadText[],
): (readonly [what: string, body: string])[] {
  const texts = () => nextTexts().map(([what, , text]) => [what, JSON.stringify(text)] as const);
  return placesIn(example).flatMap(({ path, value }) =>
    (typeof value === 'string'
      ? [...texts(), ...BAD_VALUES.slice(0, 1)]
      : BAD_VALUES.slice(typeof value === 'object' ? 0 : 3)
    ).map(([what, json]) => [`${path.join('.') || 'body'}: ${what}`, withAt(example, path, json)] as const),
  );
}

interface Place {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Every value in a JSON value, itself too. */
function placesIn(value: unknown): Place[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [
    { path: [], value },
    ...inner.flatMap(([name, each]) =>
      placesIn(each).map((place) => ({ path: [name, ...place.path], value: place.value })),
    ),
  ];
}

/** The JSON of a value that has other JSON at a path. */
function withAt(value: unknown, [name, ...rest]: readonly string[], json: string): string {
  if (name === undefined) return json;
  const fields = Object.entries(value as object).map(
    ([each, inner]) => [each, each === name ? withAt(inner, rest, json) : JSON.stringify(inner)] as const,
  );
  return Array.isArray(value)
    ? `[${fields.map(([, text]) => text).join(',')}]`
    : `{${fields.map(([each, text]) => `${JSON.stringify(each)}:${text}`).join(',')}}`;
}

/**
 * Sends bad requests, each with an Idempotency-Key of its own.
 *
 * @param headers with a session that may call the routes.
 * @returns those that were answered with an error of the server's.
 */
export async function findServerErrors(
  url: string,
  requests: readonly BadRequest[],
  headers: Readonly<Record<string, string>>,
): Promise<string[]> {
  const errors: string[] = [];
  const left = requests.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [number, { what, method, path, type, body }] of left) {
        const answer = await fetch(`${url}${path}`, {
          method,
          redirect: 'manual',
          headers: {
            ...headers,
            'idempotency-key': `bad-input-${number}`,
            ...(type === undefined ? {} : { 'content-type': type }),
          },
          ...(body === undefined ? {} : { body }),
        });
        const text = await answer.text();
        if (answer.status >= 500) errors.push(`${what}: ${answer.status} ${text.slice(0, 120)}`);
      }
    }),
  );
  return errors;
}
