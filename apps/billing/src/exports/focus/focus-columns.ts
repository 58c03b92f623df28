import type { ExportColumn } from '../columns.ts';

/** The version of the FinOps Open Cost and Usage Specification that exports are written to. */
export const FOCUS_VERSION = '1.4';

/**
 * The ratios of groups and discounts have nine places at most, those of service tiers and regions three; they are multiplied,
 * and prices are per million tokens.
 */
export const UNIT_PRICE_SCALE = 30;
export const QUANTITY_SCALE = 6;

const text = (name: string): ExportColumn => ({ name, type: 'text' });
const free = (name: string): ExportColumn => ({ name, type: 'text', free: true });
const time = (name: string): ExportColumn => ({ name, type: 'timestamp' });
const usd = (name: string): ExportColumn => ({ name, type: 'usd', summed: true });
const unitPrice = (name: string): ExportColumn => ({ name, type: 'decimal', scale: UNIT_PRICE_SCALE });
const orNull = (column: ExportColumn): ExportColumn => ({ ...column, nullable: true });

/** Cost and Usage of FOCUS: what the specification demands of a service that sells by published prices, then our own. */
export const FOCUS_COLUMNS: readonly ExportColumn[] = [
  usd('BilledCost'),
  text('BillingAccountId'),
  orNull(free('BillingAccountName')),
  text('BillingCurrency'),
  time('BillingPeriodEnd'),
  time('BillingPeriodStart'),
  text('ChargeCategory'),
  orNull(text('ChargeClass')),
  free('ChargeDescription'),
  text('ChargeFrequency'),
  time('ChargePeriodEnd'),
  time('ChargePeriodStart'),
  { name: 'ConsumedQuantity', type: 'decimal', scale: 0 },
  text('ConsumedUnit'),
  usd('ContractedCost'),
  unitPrice('ContractedUnitPrice'),
  usd('EffectiveCost'),
  free('HostProviderName'),
  free('InvoiceIssuerName'),
  usd('ListCost'),
  unitPrice('ListUnitPrice'),
  text('PricingCategory'),
  { name: 'PricingQuantity', type: 'decimal', scale: QUANTITY_SCALE },
  text('PricingUnit'),
  text('ServiceCategory'),
  free('ServiceName'),
  free('ServiceProviderName'),
  text('ServiceSubcategory'),
  free('SkuId'),
  text('SkuMeter'),
  free('SkuPriceDetails'),
  free('SkuPriceId'),
  text('x_DiscountRatio'),
  free('x_GroupName'),
  text('x_GroupRatio'),
  text('x_KeyId'),
  free('x_ModelName'),
  { name: 'x_PriceVersion', type: 'int32' },
  orNull(free('x_Region')),
  text('x_ServiceTier'),
  { name: 'x_TokenCount', type: 'int64', summed: true },
  orNull(text('x_TokenKind')),
  { name: 'x_UnitCount', type: 'int64', summed: true },
  orNull(text('x_UnitKind')),
  free('x_VendorName'),
];

/** A row by column, in the texts of columns.ts. */
export type FocusRow = Readonly<Record<string, string | null>>;
