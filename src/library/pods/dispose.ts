/**
 * `Symbol.asyncDispose`. Node 20 lacks this symbol in vm contexts, in which some test runners run tests. Compilers of
 * `await using` then use the fallback symbol below.
 */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
