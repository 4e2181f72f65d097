/// The properties every service has.
public enum CoreProperties {
  public static let table: [Property] = [
    Property("name", .text, default: "", "Name of the client in log lines."),
    Property("online", .boolean, default: "true", "Whether the network may be used."),
    Property(
      "log.level", .choice(["none", "error", "warning", "info", "debug"]), default: "warning",
      "Gravest lines only: up to which level lines are written."),
    Property(
      "dispatch", .choice(["automatic", "manual"]), default: "automatic",
      "Whether observers run on the client's lane or in hoist_client_dispatch()."),
    Property(
      "store", .choice(["sqlite", "memory", "none"]), default: "sqlite",
      "Where configurations and events are kept for the next run."),
    Property("store.path", .text, default: "", "Folder of the store; empty means hoist/ in the XDG cache directory."),
    Property(
      "plugins", .options, default: "{}",
      "Plug-ins to load when a client is opened, with the options of each: by the path of a shared object, or by the name of one that was installed with the library, as redis."
    ),
    Property(
      "events.durability", .choice(["memory", "periodic", "immediate"]), default: "periodic",
      "How soon a recorded event outlives the process, in the store or a journal beside it: never, within 100 ms (of a burst 1,000 at a time, one after the other from then on), or before the call returns."
    ),
    Property(
      "events.delivery", .choice(["own", "forward"]), default: "own",
      "Whether this process sends its events (own), or leaves them in a store that it shares, for a process with own, as hoist forward (forward)."
    ),
    Property(
      "events.claim_ms", .integer(10...60_000), default: "60000",
      "About how many milliseconds lie between looks for events that other processes have left."),
    Property(
      "events.capacity", .integer(10...1_000_000), default: "10000",
      "Recorded events kept at most, and 16 MiB of them; further ones are dropped and counted."),
    Property(
      "events.consent_capacity", .integer(0...1_000_000), default: "0",
      "Recorded events kept at most, beside the others, of people who have not said yet whether they consent; 0 means a tenth of events.capacity."
    ),
    Property(
      "events.flush_interval_ms", .integer(0...86_400_000), default: "0",
      "Milliseconds between deliveries; 0 means the service's own default."),
    Property(
      "network.connect_timeout_ms", .integer(1...600_000), default: "10000", "Longest wait for a connection, in milliseconds."),
    Property("network.timeout_ms", .integer(1...600_000), default: "30000", "Longest time for one exchange, in milliseconds."),
    Property(
      "network.retry_max_ms", .integer(1000...86_400_000), default: "300000",
      "Longest pause between attempts that fail, in milliseconds, unless the service asks for a longer one."),
    Property(
      "network.max_response_bytes", .integer(1024...1_073_741_824), default: "67108864",
      "Largest answer, in bytes after decompression."),
    Property(
      "fetch.shared", .choice(["off", "leader", "reader"]), default: "off",
      "Whether each process fetches or streams configurations (off), one for all that share the store (leader), or others do, and this one reads what they store (reader)."
    ),
    Property(
      "fetch.shared.lease_ms", .integer(1000...3_600_000), default: "15000",
      "Within how many milliseconds another process takes the place of one that fetched for all and is gone; after so long without the store, and up to twice that, each fetches for itself."
    ),
    Property(
      "fetch.shared.poll_ms", .integer(10...3_600_000), default: "2000",
      "Milliseconds between looks at the store for what another process has fetched; a quarter of the lease at most."),
    Property("network.proxy", .address, "Proxy URL; unset uses the environment's, empty uses none."),
    Property("network.ca_file", .text, default: "", "PEM file of certificate authorities in place of the system's."),
    Property("network.client_certificate_file", .text, default: "", "PEM file of the client's certificate."),
    Property("network.client_key_file", .text, default: "", "PEM file of the client's key."),
    Property(
      "network.max_redirects", .integer(0...20), default: "5", "Redirects followed, never with credentials to another origin."),
  ]
}

extension PropertyValues {
  /// Records that may wait for consent.
  public var consentCapacity: Int {
    let given = integer("events.consent_capacity")
    return Int(clamping: given > 0 ? given : max(1, integer("events.capacity") / 10))
  }
}

extension NetworkOptions {
  public init(_ values: PropertyValues, userAgent: String) {
    self.init()
    proxy = values.isSet("network.proxy") ? values.text("network.proxy") : nil
    func file(_ name: String) -> String? {
      let path = values.text(name)
      return path.isEmpty ? nil : path
    }
    certificateAuthorityFile = file("network.ca_file")
    clientCertificateFile = file("network.client_certificate_file")
    clientKeyFile = file("network.client_key_file")
    maximumRedirects = Int(values.integer("network.max_redirects"))
    self.userAgent = userAgent
  }
}
