/** Levels of data that is passed on. */
const maxDepth = 50;

/** False for data deeper than any tool's: written as JSON, 100,000 levels fill the stack. */
export function isShallow(value: object): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++)
    level = level.flatMap((item) => Object.values(item as object)).filter((item) => item && typeof item === 'object');
  return level.length === 0;
}
