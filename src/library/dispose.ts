/**
 * `Symbol.asyncDispose`. Node 20 does not know it in contexts that tests may run in; there, compilers of `await using`
 * fall back on this one.
 */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
