/** Texts of objects that are sent often: the items of lists. Objects are never changed, and always in the same list. */
const texts = new WeakMap<object, string>();

/** An object of the store as JSON. The text is kept as long as the object is. */
function storedJson(object: object, isBare: boolean): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(isBare ? bareItem(object) : object);
  texts.set(object, text);
  return text;
}

/**
 * An answer as JSON. The texts of the items of a list are kept.
 * @param isBare true: the items of the list are written without their kind
 */
export function answerJson(object: object, isBare: boolean): string {
  const { items, ...rest } = object as { items?: unknown };
  if (!Array.isArray(items) || items.length === 0) return JSON.stringify(object);
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"items":[${items.map((item) => storedJson(item as object, isBare)).join(',')}]}`;
}

/** An item of a list of Kubernetes' own kinds: the list says which kind its items have. */
export function bareItem(object: object): object {
  const { apiVersion: _, kind: _kind, ...rest } = object as { apiVersion?: unknown; kind?: unknown };
  return rest;
}
