/**
 * `npm test` tries a part of some long tables, and `npm run test:slow` the rest. True in the latter (the project `slow`
 * of vitest.config.ts).
 */
export const isRest: boolean = process.env['PODRUN_REST'] === 'yes';
