import type { AddressInfo, Server } from "node:net";

/** Makes a server take connections that something else accepts at this address as its own. */
export function listenElsewhere(server: Server, address: AddressInfo): void {
  server.address = () => address;
  server.listen = () => {
    process.nextTick(() => server.emit("listening"));
    return server;
  };
}
