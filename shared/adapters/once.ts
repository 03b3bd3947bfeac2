/** Makes something on the first call and keeps it. AWS clients are loaded this way: a laptop's process never needs them. */
export function once<T>(load: () => T): () => T {
  let loaded: { readonly value: T } | undefined;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}
