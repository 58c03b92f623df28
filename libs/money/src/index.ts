export { divideHalfEven, multiplyRatios, parseRatio, type Ratio, ratioText } from './ratio.ts';
export { formatUsd, parseUsd, PICO_PER_MICRO_USD, PICO_PER_USD } from './usd.ts';
