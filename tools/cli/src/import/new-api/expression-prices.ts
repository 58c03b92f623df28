import { decimal, times, whole } from '@tollgate/money';
import { type ModelPrices, sellWhatIsPriced } from '@tollgate/providers';
import { findOwn, type TokenKind } from '@tollgate/vocabulary';
import { z } from 'zod';

/** Names of new-api for what is counted, each at USD for a million. What has none of its own is among `p` or `c`. */
const KINDS: Readonly<Record<string, TokenKind>> = {
  p: 'input',
  c: 'output',
  cr: 'cache_read',
  cc: 'cache_write',
  cc1h: 'cache_write_1h',
  img: 'input_image',
  img_cr: 'cache_read_image',
  img_o: 'output_image',
  ai: 'input_audio',
  ao: 'output_audio',
};

/** What one tier charges: tokens by their kinds, or a request. */
type Leaf = { readonly prices: ReadonlyMap<TokenKind, string> } | { readonly perRequest: string };
/** Tiers by how much a request reads. */
type Tree = Leaf | { readonly above: number; readonly more: Tree; readonly less: Tree };

const TOKEN = /\s*(?:(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z]\w*|"[^"\\]*"|<=|>=|[-+*?:(),<>])|(\S))/gy;

/** An expression that says something that no price list here can. */
class NotCarried extends Error {}

/** Reads the part of new-api's expressions that is a price list: sums of prices in tiers by the length of the input. */
class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = [...text.matchAll(TOKEN)].map(([, token, strange]) => {
      if (token === undefined) throw new NotCarried(`it has "${strange}"`);
      return token;
    });
  }

  read(): Tree {
    const tree = this.#tree();
    if (this.#peek !== undefined) throw new NotCarried(`"${this.#peek}" follows its price`);
    return tree;
  }

  get #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(expected?: string): string {
    const token = this.#peek ?? 'its end';
    if (expected !== undefined && token !== expected)
      throw new NotCarried(`it has "${token}" where "${expected}" was looked for`);
    this.#at += 1;
    return token;
  }

  #tree(): Tree {
    if (this.#peek === 'tier') return this.#tier();
    if (this.#peek === '(') {
      this.#next();
      const inner = this.#tree();
      this.#next(')');
      return inner;
    }
    const named = this.#next();
    if (named !== 'len') throw new NotCarried(`its price depends on "${named}"`);
    const comparison = this.#next();
    const limit = this.#number();
    // Above 200,000 is from 200,001 on.
    const above = comparison === '<=' || comparison === '>' ? limit : limit - 1;
    if (!['<', '<=', '>', '>='].includes(comparison) || !Number.isSafeInteger(above) || above < 1)
      throw new NotCarried(`it compares by "${comparison} ${limit}"`);
    this.#next('?');
    const first = this.#tree();
    this.#next(':');
    const second = this.#tree();
    return comparison.startsWith('<')
      ? { above, less: first, more: second }
      : { above, less: second, more: first };
  }

  #tier(): Leaf {
    this.#next('tier');
    this.#next('(');
    if (!this.#next().startsWith('"')) throw new NotCarried('a tier has no name');
    this.#next(',');
    const leaf = this.#peek === 'fixed' ? this.#fixed() : this.#sum();
    this.#next(')');
    return leaf;
  }

  #fixed(): Leaf {
    this.#next('fixed');
    this.#next('(');
    const perRequest = String(this.#number());
    this.#next(')');
    return { perRequest };
  }

  #sum(): Leaf {
    const prices = new Map<TokenKind, string>();
    do {
      if (prices.size > 0) this.#next('+');
      const [left, , right] = [this.#next(), this.#next('*'), this.#next()];
      const [name, amount] = Object.hasOwn(KINDS, left) ? [left, right] : [right, left];
      const kind = findOwn(KINDS, name);
      if (!kind || prices.has(kind)) throw new NotCarried(`it has "${left} * ${right}"`);
      prices.set(kind, toNumber(amount));
    } while (this.#peek === '+');
    return { prices };
  }

  #number(): number {
    return Number(toNumber(this.#next()));
  }
}

function toNumber(token: string): string {
  const text = token.replaceAll('_', '');
  if (!/^\d/.test(text)) throw new NotCarried(`it has "${token}" where a number was looked for`);
  return text;
}

const thresholdsIn = (tree: Tree): number[] =>
  'above' in tree ? [tree.above, ...thresholdsIn(tree.less), ...thresholdsIn(tree.more)] : [];

const leafAt = (tree: Tree, length: number): Leaf =>
  'above' in tree ? leafAt(length > tree.above ? tree.more : tree.less, length) : tree;

type Expressed =
  | { readonly ok: true; readonly prices: ModelPrices; readonly isExact: boolean }
  | { readonly ok: false; readonly why: string };

/** The price list that an expression is; or why it is none. */
export function readExpression(text: string): Expressed {
  let isExact = true;
  const toMicro = (usd: string): number => {
    const found = whole(times(decimal(usd), { digits: 1_000_000n, places: 0 }));
    isExact &&= found.isExact;
    return found.value;
  };
  const toPrices = (leaf: Leaf): ModelPrices['prices'] => {
    if ('perRequest' in leaf) throw new NotCarried('some of its tiers are by the request');
    const stated = Object.fromEntries([...leaf.prices].map(([kind, usd]) => [kind, toMicro(usd)]));
    const { input = 0, output = 0 } = stated;
    const prices = { ...stated, input, output };
    // What is written for an hour is among the rest there, where it is not named.
    return 'cache_write' in stated && !('cache_write_1h' in stated)
      ? { ...prices, cache_write_1h: input }
      : prices;
  };
  try {
    const tree = new Reader(text.replace(/^\s*v1:/, '')).read();
    if ('perRequest' in tree) {
      const prices = { prices: { input: 0, output: 0 }, request_price: toMicro(tree.perRequest) };
      return { ok: true, prices: sellWhatIsPriced(prices), isExact };
    }
    const tiers = [...new Set(thresholdsIn(tree))]
      .sort((a, b) => a - b)
      .map((above) => ({ above_input_tokens: above, prices: toPrices(leafAt(tree, above + 1)) }));
    const list = { prices: toPrices(leafAt(tree, 1)), request_price: 0 };
    return { ok: true, prices: sellWhatIsPriced(tiers.length > 0 ? { ...list, tiers } : list), isExact };
  } catch (error) {
    if (error instanceof NotCarried) return { ok: false, why: error.message };
    throw error;
  }
}

/** Expressions of models that are billed by one, by the models' names. Their ratios are not what they cost. */
export function findExpressions({
  options,
}: {
  readonly options: ReadonlyMap<string, string>;
}): ReadonlyMap<string, string> {
  const modes = parseTexts(options.get('billing_setting.billing_mode'));
  const expressions = parseTexts(options.get('billing_setting.billing_expr'));
  return new Map(
    Object.entries(modes)
      .filter(([, mode]) => mode === 'tiered_expr')
      .map(([model]) => [model, findOwn(expressions, model) ?? '']),
  );
}

function parseTexts(text: string | undefined): Readonly<Record<string, string>> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text || '{}'));
  } catch {
    return {};
  }
}
