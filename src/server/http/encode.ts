/** Texts of objects that are sent often: the items of lists, and the changes of watches. Objects are never changed. */
const texts = new WeakMap<object, string>();

/** An object of the store as JSON. The text is kept as long as the object is. */
export function storedJson(object: object): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  return text;
}

/** An answer as JSON. The texts of the items of a list are kept. */
export function answerJson(object: object): string {
  const { items, ...rest } = object as { items?: unknown };
  if (!Array.isArray(items) || items.length === 0) return JSON.stringify(object);
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"items":[${items.map((item) => storedJson(item as object)).join(',')}]}`;
}
