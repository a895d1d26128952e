/** A file as text: see esbuild.config.mjs. */
declare module '*?raw' {
  const text: string;
  export default text;
}
