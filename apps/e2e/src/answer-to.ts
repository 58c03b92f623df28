import type { AnswerOf, Route, SERVICES } from '@tollgate/api';

type Services = typeof SERVICES;
type RoutesIn<Resources> = { [R in keyof Resources]: Resources[R][keyof Resources[R]] }[keyof Resources];
type AnyRoute = { [S in keyof Services]: RoutesIn<Services[S]['resources']> }[keyof Services];

type Split<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? [First, ...Split<Rest>]
  : [Path];

/** Whether the parts of a path are those of a route: its parameters, as `:name`, are anything. */
type Fits<Parts, Pattern> = [Parts, Pattern] extends [
  [infer Part, ...infer OtherParts],
  [infer Place, ...infer OtherPlaces],
]
  ? Place extends `:${string}`
    ? Fits<OtherParts, OtherPlaces>
    : Part extends Place
      ? Fits<OtherParts, OtherPlaces>
      : false
  : [Parts, Pattern] extends [[], []]
    ? true
    : false;

type RouteAt<Method, Path extends string, R = AnyRoute> = R extends Route & { readonly method: Method }
  ? Fits<Split<Path>, Split<R['path']>> extends true
    ? R
    : never
  : never;

/** A route whose path has no parameter in it is meant, where there is one. */
type Nearest<R, Path> = [Extract<R, { readonly path: Path }>] extends [never]
  ? R
  : Extract<R, { readonly path: Path }>;

type AnswerOfNearest<R> = [R] extends [never]
  ? Record<string, unknown>
  : R extends Route
    ? AnswerOf<R>
    : never;

/** What the contract says that the API answers to a method at a path; nobody knows it of a path that is made when it runs. */
export type AnswerTo<Method extends string, Path extends string> = Path extends `${infer Before}?${string}`
  ? AnswerTo<Method, Before>
  : Path extends string
    ? AnswerOfNearest<Nearest<RouteAt<Method, Path>, Path>>
    : never;
