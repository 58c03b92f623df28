export { charge, type PricedTokens } from './charge.ts';
export { divideHalfEven, parseRatio, type Ratio, ratioText } from './ratio.ts';
export { formatUsd, parseUsd, PICO_PER_USD } from './usd.ts';
