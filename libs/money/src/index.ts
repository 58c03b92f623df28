export { type Decimal, decimal, times, whole } from './decimal.ts';
export { divideHalfEven, multiplyRatios, parseRatio, type Ratio, ratioText } from './ratio.ts';
export { formatCents, formatFraction, formatUsd, parseUsd, PICO_PER_MICRO_USD, PICO_PER_USD } from './usd.ts';
