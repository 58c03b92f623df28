declare module 'cluster-key-slot' {
  /** The slot of a Redis Cluster that a key lies in. */
  export default function findSlot(key: string): number;
}
