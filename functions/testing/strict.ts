/**
 * A fake made of the parts that a test sets; whatever else is touched throws by name, so that a use case cannot lean on something
 * that the test did not mean to give it.
 */
export function strict<T extends object>(name: string, parts: Partial<T>): T {
  return new Proxy(parts as T, {
    get(target, property) {
      if (property in target) return target[property as keyof T];
      if (typeof property === 'symbol' || property === 'then' || property === 'toJSON') return undefined;
      throw new Error(`${name}.${property} is not set in this test`);
    },
  });
}
