export { type LoadCurve, loadAt, readLoadCurve, type SharedLoad } from './load-curve.ts';
export { ManualClock } from './manual-clock.ts';
export { readProgram, type SimulatedLife } from './read-program.ts';
export { Simulation } from './simulation.ts';
