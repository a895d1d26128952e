import type { Endpoints, EndpointSlice, EndpointSubset } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent } from './fill.ts';

/** Source: pkg/apis/discovery/v1/defaults.go, SetDefaults_EndpointPort. */
export function defaultEndpointSlice(slice: Decoded<EndpointSlice>): Decoded<EndpointSlice> {
  // The server writes an absent list as null, and controllers do the same.
  if (!Array.isArray(slice.ports)) return slice;
  return { ...slice, ports: slice.ports.map((port) => fillAbsent(port, { name: '', protocol: 'TCP' })) };
}

/** Source: pkg/apis/core/v1/defaults.go, SetDefaults_Endpoints. */
export function defaultEndpoints(endpoints: Decoded<Endpoints>): Decoded<Endpoints> {
  return changeFields(endpoints, { subsets: (subsets) => subsets.map(defaultSubset) });
}

function defaultSubset(subset: Decoded<EndpointSubset>): Decoded<EndpointSubset> {
  return changeFields(subset, { ports: (ports) => ports.map((port) => fillAbsent(port, { protocol: 'TCP' })) });
}
