/** A file as text: see build.mjs. */
declare module '*?raw' {
  const text: string;
  export default text;
}
