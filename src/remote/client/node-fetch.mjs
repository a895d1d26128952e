// Stands in for the package node-fetch in the build: Node.js has all that the client of clusters takes from it.
export const { Headers, Request, Response } = globalThis;
export default globalThis.fetch;
