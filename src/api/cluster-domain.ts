/** The domain of the names of Services and Pods. Source: the flag --cluster-domain of the kubelet. */
export const CLUSTER_DOMAIN = 'cluster.local';
