/** A number with `digits` decimals, or a dash for what was not measured. */
export function decimal(value: number | null | undefined, digits = 2): string {
  return value === null || value === undefined ? '–' : value.toFixed(digits);
}

/** A fraction as a whole percentage, or a dash. */
export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : `${Math.round(value * 100)} %`;
}

/** USD, with cents, or four decimals below a dollar. */
export function usd(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return `$${value !== 0 && value < 1 ? value.toFixed(4) : value.toFixed(2)}`;
}
