/** Amounts of money in filters: `EUR 100000`, in the smallest unit, or a currency alone. */
export function parseMoney(value: string | undefined): { currency: string; amount?: number } {
  const [currency = "", amount] = (value ?? "").split(" ");
  return { currency, ...(amount && { amount: Number(amount) }) };
}
