export { readProgram, type SimulatedLife } from './read-program.ts';
export { Simulation } from './simulation.ts';
