import type { SubresourceHandlers } from '../apiserver/base/answer.ts';
import { ATTACH, EXEC } from './streams/command/command-handlers.ts';
import { PORT_FORWARD } from './streams/forward/forward-handlers.ts';
import { LOG } from './streams/log/log-handlers.ts';
import { NODE_PROXY } from './streams/proxy/node-proxy.ts';
import { POD_PROXY, SERVICE_PROXY } from './streams/proxy/proxy-handlers.ts';

/** The subresources that stream, by `plural/subresource`. */
export const STREAM_SUBRESOURCES: Readonly<Record<string, SubresourceHandlers>> = {
  'pods/exec': EXEC,
  'pods/attach': ATTACH,
  'pods/portforward': PORT_FORWARD,
  'pods/log': LOG,
  'pods/proxy': POD_PROXY,
  'services/proxy': SERVICE_PROXY,
  'nodes/proxy': NODE_PROXY,
};
