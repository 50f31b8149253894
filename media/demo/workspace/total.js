/** The total of an order in cents. */
export function total(lines) {
  return lines.reduce((sum, line) => sum + line.quantity * line.price, 0);
}
