export { charge } from './charge.ts';
export { inputTokens, pricesFor, rate, type RateCard } from './rate.ts';
export { divideHalfEven, multiplyRatios, parseRatio, type Ratio, ratioText } from './ratio.ts';
export { formatUsd, parseUsd, PICO_PER_USD } from './usd.ts';
