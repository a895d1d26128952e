/** Items in the order of a comparison, which never says that two of them are equal. */
export class SortedList<T> {
  readonly #items: T[] = [];
  readonly #compare: (one: T, other: T) => number;

  constructor(compare: (one: T, other: T) => number) {
    this.#compare = compare;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  insert(item: T): void {
    this.#items.splice(this.#indexOf(item), 0, item);
  }

  /** Removes an item. It must compare as it did when it was inserted. */
  remove(item: T): void {
    const index = this.#indexOf(item);
    if (this.#items[index] === item) this.#items.splice(index, 1);
  }

  /** Removes and returns the first item. */
  shift(): T | undefined {
    return this.#items.shift();
  }

  /** The index of the first item that does not come before this one. */
  #indexOf(item: T): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#compare(other, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
