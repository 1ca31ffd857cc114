/** Meta's amounts as money: which part of a currency's unit Meta counts in (docs/upstreams/meta.md, "Amounts"). */
import { DECIMALS, type Money, moneyOf } from "../../core/money.ts";

const codes = (text: string): ReadonlySet<string> => new Set(text.trim().split(" "));

/** Meta counts whole units of these, whatever their coins. */
const WHOLE = codes("CLP COP CRC HUF IDR ISK JPY KRW PYG TWD VND");
/** And hundredths of these. */
const HUNDREDTHS = codes(
  "AED ARS AUD BDT BGN BHD BOB BRL CAD CHF CNY CZK DKK DZD EGP EUR FBZ GBP GTQ HKD HNL HRK ILS INR JOD KES LTL LVL " +
    "MOP MXN MYR NGN NIO NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD SKK THB TRY UAH USD UYU VEF VES ZAR",
);

/** An amount of an account, a campaign or an ad set; null where it has none, or Meta's table lacks the currency. */
function accountMoney(figure: number | null, currency: string | null): Money | null {
  if (currency === null) return null;
  if (WHOLE.has(currency)) return moneyOf(figure, DECIMALS.whole, currency);
  return HUNDREDTHS.has(currency) ? moneyOf(figure, DECIMALS.hundredths, currency) : null;
}

/** The row with its named amounts as money beside them. */
export function withMoney<Row extends object, Name extends keyof Row & string>(
  row: Row & Readonly<Record<Name, number | null>>,
  names: readonly Name[],
  currency: string | null,
): Row & { money: Readonly<Record<Name, Money | null>> } {
  const money = names.map((name) => [name, accountMoney(row[name], currency)] as const);
  return { ...row, money: Object.fromEntries(money) as Record<Name, Money | null> };
}

/** Figures of a report that are money; Meta writes them in whole units. */
const SPENT: ReadonlySet<string> = codes("spend social_spend cpc cpm cpp average_purchases_conversion_value");
/** Costs that are ratios of something else, or lists. */
const isCost = (name: string) => SPENT.has(name) || name.startsWith("cost_per_");

/** Of a report's row, the figures that are money; none where it has none. */
export function reportMoney(
  row: Readonly<Record<string, unknown>>,
  currency: string | null,
): Record<string, Money | null> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      isCost(name) && (typeof value === "number" || typeof value === "string")
        ? [[name, moneyOf(value, DECIMALS.whole, currency)] as const]
        : []
    ),
  );
}
