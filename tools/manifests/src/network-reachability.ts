import { BlockList, isIPv6 } from 'node:net';
import { type Labels, type Manifest, ofKind, type Selector, selects } from './manifest.ts';

/** Pods of this namespace, pods of another one (any, or those with labels), or an address outside of the cluster. */
export type Peer =
  | { readonly pod: Labels; readonly namespace?: undefined }
  | { readonly namespace: Labels; readonly pod?: Labels }
  | { readonly address: string };

type Protocol = 'TCP' | 'UDP';

interface Rule {
  readonly from?: readonly PeerSelector[];
  readonly to?: readonly PeerSelector[];
  readonly ports?: readonly { readonly protocol?: string; readonly port?: number | string }[];
}

interface PeerSelector {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface PolicySpec {
  readonly podSelector: Selector;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

/** Whether pods with these labels may send to a peer, by their side's network policies. */
export const mayReach = (
  documents: readonly Manifest[],
  labels: Labels,
  to: Peer,
  port: number,
  protocol: Protocol = 'TCP',
): boolean => allows(documents, labels, 'Egress', to, { port, protocol });

/** Whether a peer may open TCP connections to pods with these labels, by their side's network policies. */
export const mayBeReached = (
  documents: readonly Manifest[],
  labels: Labels,
  from: Peer,
  port: number,
): boolean => allows(documents, labels, 'Ingress', from, { port, protocol: 'TCP' });

function allows(
  documents: readonly Manifest[],
  labels: Labels,
  direction: 'Ingress' | 'Egress',
  peer: Peer,
  { port, protocol }: { readonly port: number; readonly protocol: Protocol },
): boolean {
  const policies = ofKind<PolicySpec>(documents, 'NetworkPolicy')
    .map(({ spec }) => spec)
    .filter(
      ({ podSelector, policyTypes }) => policyTypes.includes(direction) && selects(podSelector, labels),
    );
  // Pods that no policy is about are open to everything.
  if (policies.length === 0) return true;
  return policies
    .flatMap(({ ingress = [], egress = [] }) => (direction === 'Ingress' ? ingress : egress))
    .some((rule) => {
      const peers = direction === 'Ingress' ? rule.from : rule.to;
      const portFits =
        !rule.ports || rule.ports.some((one) => one.protocol === protocol && one.port === port);
      return portFits && (!peers || peers.some((one) => fits(one, peer)));
    });
}

function fits(selector: PeerSelector, peer: Peer): boolean {
  if ('address' in peer) return selector.ipBlock !== undefined && contains(selector.ipBlock, peer.address);
  if (selector.ipBlock) return false;
  if (peer.namespace) {
    return (
      selector.namespaceSelector !== undefined &&
      selects(selector.namespaceSelector, peer.namespace) &&
      (!selector.podSelector || (peer.pod !== undefined && selects(selector.podSelector, peer.pod)))
    );
  }
  return !selector.namespaceSelector && selects(selector.podSelector ?? {}, peer.pod);
}

function contains({ cidr, except = [] }: NonNullable<PeerSelector['ipBlock']>, address: string): boolean {
  const inside = (block: string) => {
    const [network = '', prefix = ''] = block.split('/');
    const list = new BlockList();
    list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4');
    return isIPv6(network) === isIPv6(address) && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
  return inside(cidr) && !except.some(inside);
}
