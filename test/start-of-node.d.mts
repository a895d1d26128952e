export function startOfNodeMs(): number;
